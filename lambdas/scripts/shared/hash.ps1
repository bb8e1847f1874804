# Hashes in hexadecimal, in small letters.
function ConvertTo-Hex([byte[]] $bytes) {
    return [BitConverter]::ToString($bytes).Replace('-', '').ToLowerInvariant()
}

# This class also works where only algorithms that FIPS validated are allowed.
function Get-BytesHash([byte[]] $bytes) {
    return ConvertTo-Hex (New-Object Security.Cryptography.SHA256CryptoServiceProvider).ComputeHash($bytes)
}

function Get-TextHash([string] $text) {
    return Get-BytesHash ([Text.Encoding]::UTF8.GetBytes($text))
}
