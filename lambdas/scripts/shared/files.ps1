# Access as SDDL, which Windows reads back unchanged: owned by Administrators, nothing inherited, full control only for
# SYSTEM (SY) and Administrators (BA). By SID, because Windows translates account names.
$SystemDirectory = 'D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
$SystemFile = 'D:P(A;;FA;;;SY)(A;;FA;;;BA)'

# True if the access was changed. Windows turns "P" into "PAI" once it has evaluated inheritance.
function Set-Access([string] $path, [string] $wanted) {
    $acl = Get-Acl -LiteralPath $path
    $now = $acl.Sddl.Replace('D:PAI(', 'D:P(')
    if ($now.StartsWith('O:BA') -and $now.EndsWith($wanted)) { return $false }
    $acl.SetSecurityDescriptorSddlForm("O:BA$wanted", 'Access, Owner')
    Set-Acl -LiteralPath $path -AclObject $acl
    return $true
}

# True if a file has exactly its folder's access and a permitted owner. A rule without the mark ID (inherited) was set
# on the file itself.
function Test-Inherited([string] $sddl) {
    $own = @([regex]::Matches($sddl, '\([^;]*;([^;]*);') | Where-Object { $_.Groups[1].Value -cnotmatch 'ID' })
    return $sddl -cmatch '^O:(BA|SY)' -and $sddl -cnotmatch 'D:P' -and $own.Count -eq 0
}

# A file inherits the access of the file that it replaces, whether Casement or another program wrote that one.
function Reset-Access([string] $path) {
    $acl = Get-Acl -LiteralPath $path
    if (Test-Inherited $acl.Sddl) { return $false }
    $acl.SetSecurityDescriptorSddlForm('O:BAD:AI', 'Access, Owner')
    Set-Acl -LiteralPath $path -AclObject $acl
    if (-not (Test-Inherited (Get-Acl -LiteralPath $path).Sddl)) { throw 'its access could not be given back to its folder' }
    return $true
}

function Get-Sha256([string] $path) {
    return (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
}

function Assert-Sha256([string] $path, [string] $wanted) {
    $found = Get-Sha256 $path
    if ($found -ne $wanted) { throw (New-Fault 'content-differs' "the content has sha256 $found, wanted is $wanted") }
}

# One field of a secret that is a JSON object; the value is never printed.
function Get-Field($secret, [string] $name) {
    if (-not (Test-Has $secret $name)) { throw (New-Fault 'secret-unusable' "the secret has no field $name") }
    if ($secret.$name -isnot [string]) { throw (New-Fault 'secret-unusable' "the secret's field $name is not text") }
    return $secret.$name
}

function Read-Secret($source) {
    $secret = Read-Json (Read-SecretText $source.secretId '') 'the secret'
    return [Text.Encoding]::UTF8.GetBytes((Get-Field $secret $source.field))
}

# A text whose holes <<field>> are filled from a version of a secret. A value that could end a string is refused.
function Get-FilledText($source) {
    $text = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($source.base64))
    $secret = Read-Json (Read-SecretText $source.secretId $source.version) 'the secret'
    foreach ($hole in [regex]::Matches($text, '<<([^<>]*)>>')) {
        $name = $hole.Groups[1].Value
        $value = Get-Field $secret $name
        if ($value -cnotmatch '^[A-Za-z0-9+/=%:._~@-]+\z') { throw (New-Fault 'secret-unusable' "the secret's field $name is empty or has a character that is not allowed") }
        $text = $text.Replace($hole.Value, $value)
    }
    if ($text.Contains('<<')) { throw (New-Fault 'secret-unusable' 'the text has a hole without an end') }
    return $text
}

# A damaged download is repeated once.
function Save-Pinned($source, [string] $sha256, [string] $to) {
    Save-Object $source $to
    if ((Get-Sha256 $to) -ne $sha256) { Save-Object $source $to }
    Assert-Sha256 $to $sha256
}

# Writes the content beside its destination; others lose access before the file has content.
function Save-Source($action, [string] $to) {
    $source = $action.source
    [IO.File]::WriteAllBytes($to, (New-Object byte[] 0))
    if ($action.access -eq 'system') { Set-Access $to $SystemFile | Out-Null }
    switch -CaseSensitive ($source.from) {
        'inline' { [IO.File]::WriteAllBytes($to, [Convert]::FromBase64String($source.base64)) }
        'secret' { [IO.File]::WriteAllBytes($to, (Read-Secret $source)) }
        'template' { [IO.File]::WriteAllBytes($to, [Text.Encoding]::UTF8.GetBytes((Get-FilledText $source))) }
        'bucket' { Save-Pinned $source $action.sha256 $to }
    }
}

function Set-PlannedDirectory($action) {
    $changed = -not (Test-Path -LiteralPath $action.path -PathType Container)
    if ($changed) { New-Item -ItemType Directory -Force -Path $action.path | Out-Null }
    if ((Get-Item -LiteralPath $action.path -Force).Attributes -band [IO.FileAttributes]::ReparsePoint) { throw 'it is a link to another place' }
    if ($action.access -eq 'system' -and (Set-Access $action.path $SystemDirectory)) { $changed = $true }
    return $changed
}

# The names of what others wrote into a folder. A file with the ending of Move-IntoPlace is left from a write that crashed.
function Get-Others([string] $folder, [string] $own) {
    if (-not (Test-Path -LiteralPath $folder -PathType Container)) { return @() }
    $found = @(Get-ChildItem -LiteralPath $folder -Force | Where-Object { $_.PSIsContainer -or ($_.Name -ne $own -and $_.Name -notlike '*.casement-new') })
    return @($found | ForEach-Object { $_.Name } | Sort-Object)
}

# Is the content one of these, by the hash of its bytes, or of its text without credentials, which is its template's?
function Test-Known([string] $path, [string[]] $contents) {
    $template = [IO.File]::ReadAllText($path) -creplace '"Basic [^"<]*"', '"Basic <<>>"'
    return $contents -ccontains (Get-Sha256 $path) -or $contents -ccontains (Get-TextHash $template)
}

# With "expects", others may have written neither the file nor anything beside it.
function Assert-Own($action, [string[]] $contents) {
    if (-not (Test-Has $action 'expects')) { return }
    $folder = [IO.Path]::GetDirectoryName($action.path)
    $others = @(Get-Others $folder ([IO.Path]::GetFileName($action.path)))
    if ($others.Count -gt 0) {
        $more = if ($others.Count -gt 5) { " and $($others.Count - 5) more" } else { '' }
        throw (New-Fault 'foreign-file' "the folder $folder holds what Casement did not write: $(@($others | Select-Object -First 5) -join ', ')$more")
    }
    if (-not (Test-Path -LiteralPath $action.path -PathType Leaf)) { return }
    if (-not (Test-Known $action.path ($contents + $action.expects))) {
        throw (New-Fault 'foreign-file' "Casement did not write the content of $($action.path), which has sha256 $(Get-Sha256 $action.path)")
    }
}

# A file without a known sha256 contains a secret: its content is fetched and compared.
function Test-Content($action, [string] $new) {
    if (-not (Test-Path -LiteralPath $action.path -PathType Leaf)) { return $false }
    $wanted = $action.sha256
    if (-not $wanted) { $wanted = Get-Sha256 $new }
    return (Get-Sha256 $action.path) -eq $wanted
}

function Set-PlannedFile($action) {
    Assert-Own $action @($action.sha256)
    $new = "$($action.path).casement-new"
    try {
        if (-not $action.sha256) { Save-Source $action $new }
        $changed = -not (Test-Content $action $new)
        if ($changed) { Install-File $action $new }
    } finally {
        Remove-Item -LiteralPath $new -Force -ErrorAction SilentlyContinue
    }
    # A file inherits the access of the one that it replaces, so this comes last.
    $opened = if ($action.access -eq 'system') { Set-Access $action.path $SystemFile } else { Reset-Access $action.path }
    return [bool] ($changed -bor $opened)
}

function Install-File($action, [string] $new) {
    if ($action.sha256) {
        Save-Source $action $new
        Assert-Sha256 $new $action.sha256
    }
    $wanted = Get-Sha256 $new
    Move-IntoPlace $new $action.path
    Assert-Sha256 $action.path $wanted
    Set-RestartDue $action.path
}

function Remove-PlannedFile($action) {
    Remove-Item -LiteralPath "$($action.path).casement-new" -Force -ErrorAction SilentlyContinue
    if (-not (Test-Path -LiteralPath $action.path)) { return $false }
    if (Test-Path -LiteralPath $action.path -PathType Container) { throw 'it is a folder, not a file' }
    # A file that others wrote stays, and is no failure.
    if ((Test-Has $action 'expects') -and -not (Test-Known $action.path @($action.expects))) { return $false }
    Remove-Present { Remove-Item -LiteralPath $action.path -Force }
    return $true
}

# What others put into a folder stays, and so does a link to another place.
function Remove-PlannedDirectory($action) {
    if (-not (Test-Path -LiteralPath $action.path -PathType Container)) { return $false }
    if ((Get-Item -LiteralPath $action.path -Force).Attributes -band [IO.FileAttributes]::ReparsePoint) { return $false }
    if (@(Get-ChildItem -LiteralPath $action.path -Force).Count -gt 0) { return $false }
    Remove-Present { [IO.Directory]::Delete($action.path) }
    return $true
}

# Windows deletes nothing that a program reads at this moment, so this tries five times within five seconds.
function Remove-Present([scriptblock] $remove) {
    for ($try = 1; ; $try++) {
        try {
            & $remove
            return
        } catch [IO.IOException], [UnauthorizedAccessException] {
            if ($try -ge 5) { throw }
            Start-Sleep -Milliseconds (500 * $try)
        }
    }
}
