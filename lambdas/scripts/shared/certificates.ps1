# The certificates that Casement added to the machine's stores, as "Root\<thumbprint>". Only these are removed:
# what a store had before stays.
$AuthoritiesFile = Join-Path $CasementHome 'authorities.json'

function Get-Added {
    try { return @((Get-Content -LiteralPath $AuthoritiesFile -Raw | ConvertFrom-Json).added) } catch { return @() }
}

function Save-Added([string[]] $added) {
    Save-Text $AuthoritiesFile (@{ added = @($added) } | ConvertTo-Json -Compress)
    Set-Access $AuthoritiesFile $SystemFile | Out-Null
}

# The store Root also shows what Windows itself and a group policy trust.
function Open-Store($action, [string] $mode) {
    $store = New-Object Security.Cryptography.X509Certificates.X509Store $action.store, 'LocalMachine'
    $store.Open($mode)
    return $store
}

function Find-Stored($action) {
    (Open-Store $action 'ReadOnly').Certificates | Where-Object { $_.Thumbprint -eq $action.thumbprint }
}

# The record is written before the import: after a crash in between, the next run imports, and a removal still finds it.
function Set-PlannedCertificate($action) {
    if (Find-Stored $action) { return $false }
    $certificate = New-Object Security.Cryptography.X509Certificates.X509Certificate2 (, [Convert]::FromBase64String($action.base64))
    if ($certificate.Thumbprint -ne $action.thumbprint) { throw (New-Fault 'content-differs' "it has thumbprint $($certificate.Thumbprint)") }
    $name = "$($action.store)\$($action.thumbprint)"
    $added = @(Get-Added)
    if ($added -cnotcontains $name) { Save-Added ($added + $name) }
    (Open-Store $action 'ReadWrite').Add($certificate)
    if (-not (Find-Stored $action)) { throw 'the store does not show it' }
    return $true
}

function Remove-PlannedCertificate($action) {
    $name = "$($action.store)\$($action.thumbprint)"
    $added = @(Get-Added)
    if ($added -cnotcontains $name) { return $false }
    $found = @(Find-Stored $action)
    if ($found.Count -gt 0) { (Open-Store $action 'ReadWrite').Remove($found[0]) }
    Save-Added ($added -cne $name)
    return $found.Count -gt 0
}
