# Access as SDDL, the form that Windows reads back unchanged: owned by Administrators, nothing inherited, full control
# for SYSTEM (SY) and Administrators (BA) alone. By SID, because account names are translated.
$SystemDirectory = 'D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
$SystemFile = 'D:P(A;;FA;;;SY)(A;;FA;;;BA)'

# True when the access had to be changed. "PAI" is what Windows makes of "P" when it has looked at inheritance.
function Set-Access([string] $path, [string] $wanted) {
    $acl = Get-Acl -LiteralPath $path
    $now = $acl.Sddl.Replace('D:PAI(', 'D:P(')
    if ($now.StartsWith('O:BA') -and $now.EndsWith($wanted)) { return $false }
    $acl.SetSecurityDescriptorSddlForm("O:BA$wanted", 'Access, Owner')
    Set-Acl -LiteralPath $path -AclObject $acl
    return $true
}

function Get-Sha256([string] $path) {
    return (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
}

# The agent tells the region; without it the AWS tools ask the metadata service.
function Get-AwsRegion {
    if ($env:AWS_SSM_REGION_NAME) { return @{ Region = $env:AWS_SSM_REGION_NAME } }
    return @{}
}

# The other S3 cmdlets say -VersionId, this one -Version (AWS Tools for PowerShell, issue 369).
function Read-Bucket($source, [string] $to) {
    $region = Get-AwsRegion
    Read-S3Object -BucketName $source.bucket -Key $source.key -Version $source.version -File $to @region | Out-Null
}

# One field of a secret that is a JSON object; the value is never printed.
function Read-Secret($source) {
    $region = Get-AwsRegion
    $secret = (Get-SECSecretValue -SecretId $source.secretId @region).SecretString | ConvertFrom-Json
    if (-not (Test-Has $secret $source.field)) { throw "the secret has no field $($source.field)" }
    return [Text.Encoding]::UTF8.GetBytes("$($secret.($source.field))")
}

# Lays the content beside its place; it is closed to others before anything is in it.
function Save-Source($source, [string] $to, [string] $access) {
    [IO.File]::WriteAllBytes($to, (New-Object byte[] 0))
    if ($access -eq 'system') { Set-Access $to $SystemFile | Out-Null }
    if ($source.from -eq 'inline') { [IO.File]::WriteAllBytes($to, [Convert]::FromBase64String($source.base64)) }
    elseif ($source.from -eq 'secret') { [IO.File]::WriteAllBytes($to, (Read-Secret $source)) }
    else { Read-Bucket $source $to }
}

function Assert-Sha256([string] $path, [string] $wanted) {
    $found = Get-Sha256 $path
    if ($found -ne $wanted) { throw "the content has sha256 $found, wanted is $wanted" }
}

function Set-PlannedDirectory($operation) {
    $changed = -not (Test-Path -LiteralPath $operation.path -PathType Container)
    if ($changed) { New-Item -ItemType Directory -Force -Path $operation.path | Out-Null }
    if ((Get-Item -LiteralPath $operation.path -Force).Attributes -band [IO.FileAttributes]::ReparsePoint) { throw 'it is a link to another place' }
    if ($operation.access -eq 'system' -and (Set-Access $operation.path $SystemDirectory)) { $changed = $true }
    return $changed
}

# A file without a known sha256 holds a secret: its content is fetched and compared.
function Test-Content($operation, [string] $new) {
    if (-not (Test-Path -LiteralPath $operation.path -PathType Leaf)) { return $false }
    $wanted = $operation.sha256
    if (-not $wanted) { $wanted = Get-Sha256 $new }
    return (Get-Sha256 $operation.path) -eq $wanted
}

function Set-PlannedFile($operation) {
    $new = "$($operation.path).casement-new"
    try {
        if (-not $operation.sha256) { Save-Source $operation.source $new $operation.access }
        $changed = -not (Test-Content $operation $new)
        if ($changed) { Install-File $operation $new }
    } finally {
        Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue
    }
    # A file that replaces another takes over its access, so this comes last.
    if ($operation.access -eq 'system' -and (Set-Access $operation.path $SystemFile)) { $changed = $true }
    return $changed
}

function Install-File($operation, [string] $new) {
    if ($operation.sha256) {
        Save-Source $operation.source $new $operation.access
        Assert-Sha256 $new $operation.sha256
    }
    $wanted = Get-Sha256 $new
    Move-IntoPlace $new $operation.path
    Assert-Sha256 $operation.path $wanted
    Set-RestartDue $operation.path
}

function Remove-PlannedFile($operation) {
    if (-not (Test-Path -LiteralPath $operation.path)) { return $false }
    Remove-Item -LiteralPath $operation.path -Force
    return $true
}
