# Windows reads 10.0.0.0/16 back as 10.0.0.0/255.255.0.0, and 10.0.0.5/32 as 10.0.0.5.
function ConvertTo-Prefix([string] $address) {
    $base, $mask = $address.Split('/')
    if ($mask -eq '32' -or $mask -eq '255.255.255.255') { return $base }
    if (-not $mask -or $mask -notmatch '\.') { return $address }
    $bits = 0
    foreach ($byte in ([Net.IPAddress] $mask).GetAddressBytes()) { $bits += ([Convert]::ToString($byte, 2) -replace '0', '').Length }
    return "$base/$bits"
}
