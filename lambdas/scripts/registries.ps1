# casement-script: registries
#
# Renews the passwords of Amazon ECR in the files of registries: runs as SYSTEM at start-up and every ten minutes. A password
# lives twelve hours. It is renewed after six, at once when the plan wants other files, and at every run after a failure.
# The kubelet's credential provider cannot help: it goes by the image's own name, and containerd asks a mirror by another.
[CmdletBinding()]
param(
    # One file for each registry that plans want, with the name of ECR's host in place of each password.
    [string] $WantedFolder = (Join-Path $env:SystemDrive 'Casement\registries'),
    [string] $StateFile = (Join-Path $env:SystemDrive 'Casement\registries.json'),
    # Tries again this long while AWS cannot be reached, as right after a boot; Windows ends the task after ten minutes.
    [int] $WaitSeconds = 240,
    [int] $PauseSeconds = 10
)

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/text.ps1

# include: shared/events.ps1

# include: shared/metadata.ps1

# include: shared/hash.ps1

# include: shared/aws.ps1

# include: shared/files.ps1

$RenewAfterSeconds = 6 * 3600

# containerd reads these files at every pull.
function Set-RestartDue([string] $path) { Write-Verbose "$path is used by no service" }

function Get-Now {
    return [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
}

# The record of the last run; a damaged one is as good as none.
function Get-SavedState {
    try {
        $saved = Get-Content -LiteralPath $StateFile -Raw | ConvertFrom-Json
        return @{ ok = $saved.ok -eq $true; renewed = [long] $saved.renewed; wanted = "$($saved.wanted)"; paths = @($saved.paths) }
    } catch {
        return @{ ok = $false; renewed = 0; wanted = ''; paths = @() }
    }
}

# What forbids a registry comes first. $null once plans want nothing any more.
function Read-Wanted {
    $found = @(Get-ChildItem -LiteralPath $WantedFolder -Filter '*.json' -File -ErrorAction SilentlyContinue | Sort-Object -Property 'Name')
    if ($found.Count -eq 0) { return $null }
    $texts = @($found | ForEach-Object { [IO.File]::ReadAllText($_.FullName) })
    $files = @($texts | ForEach-Object { Read-Json $_ 'what a plan wants' })
    return @{ hash = Get-TextHash ($texts -join "`n"); files = @(@($files | Where-Object { $_.forbids }) + @($files | Where-Object { -not $_.forbids })) }
}

function Test-Due($saved, $wanted) {
    $age = (Get-Now) - $saved.renewed
    if (-not $saved.ok -or $saved.wanted -ne $wanted.hash -or $age -lt 0 -or $age -ge $RenewAfterSeconds) { return $true }
    return @($wanted.files | Where-Object { -not (Test-Path -LiteralPath $_.path -PathType Leaf) }).Count -gt 0
}

# Region and address at which a registry's password is asked for (Amazon ECR endpoints, AWS General Reference).
function Get-TokenPlace([string] $registry) {
    if ($registry -cnotmatch '^\d{12}\.dkr\.(ecr|ecr-fips)\.([a-z0-9-]+)\.(amazonaws\.com(?:\.cn)?)\z') { throw "$registry is no registry of ECR" }
    $endpoint = if ($Matches[1] -eq 'ecr-fips') { 'ecr-fips' } else { 'api.ecr' }
    return @{ endpoint = $endpoint; region = $Matches[2]; domain = $Matches[3] }
}

# A request is signed for the registry's region, which may be another than the machine's.
function Set-Place($place) {
    $role = Get-Role
    $role.region = $place.region
    $role.domain = $place.domain
}

# GetAuthorizationToken (ECR API Reference): the password of this role for every registry of a region that lets it in,
# those of other accounts too. The answer is base64 of user and password, as a header needs it.
function Read-Token([string] $registry) {
    $place = Get-TokenPlace $registry
    $name = "ECR at $($place.endpoint).$($place.region).$($place.domain)"
    $request = @{
        name = $name; service = 'ecr'; endpoint = $place.endpoint; method = 'POST'; path = '/'
        body = '{}'; bodyHash = Get-TextHash '{}'; query = @{}
        headers = @{
            'content-type' = 'application/x-amz-json-1.1'
            'x-amz-target' = 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken'
        }
    }
    $into = Send-Request $request {
        Set-Place $place
        New-Object IO.MemoryStream
    }
    $answer = Read-Json ([Text.Encoding]::UTF8.GetString($into.ToArray())) "the answer of $name"
    $token = if (Test-Has $answer 'authorizationData') { "$(@($answer.authorizationData)[0].authorizationToken)" } else { '' }
    if ($token -cnotmatch '^[A-Za-z0-9+/]+={0,2}\z') { throw "$name gave no password" }
    return $token
}

# Asks for the passwords of all registries; keeps the fault of each that gives none.
function Read-Tokens($files, $tokens, $faults) {
    foreach ($registry in @($files | ForEach-Object { $_.hosts } | Sort-Object -Unique)) {
        if ($tokens.ContainsKey($registry) -or $faults.ContainsKey($registry)) { continue }
        try { $tokens[$registry] = Read-Token $registry } catch { $faults[$registry] = $_ }
    }
}

# Replaces one file in one step. What others wrote is refused, unless this task wrote there before.
function Save-RegistryFile($file, $tokens, [string[]] $own) {
    $text = "$($file.text)"
    foreach ($registry in @($file.hosts)) { $text = $text.Replace("""Basic $registry""", """Basic $($tokens[$registry])""") }
    $bytes = [Text.Encoding]::UTF8.GetBytes($text)
    $source = [pscustomobject] @{ from = 'inline'; base64 = [Convert]::ToBase64String($bytes) }
    $action = @{ path = $file.path; source = $source; sha256 = Get-BytesHash $bytes; access = 'system' }
    if ((Test-Has $file 'expects') -and $own -cnotcontains $file.path) { $action.expects = @($file.expects) }
    Set-PlannedDirectory ([pscustomobject] @{ path = [IO.Path]::GetDirectoryName($file.path); access = 'inherited' }) | Out-Null
    Set-PlannedFile ([pscustomobject] $action) | Out-Null
}

# Reads what is wanted again once it has the passwords: a plan may have changed it, and written some of these files itself.
function Invoke-Renewal($saved, $wanted) {
    $tokens = @{}
    $faults = @{}
    do {
        $state.wanted = $wanted.hash
        Read-Tokens $wanted.files $tokens $faults
        $wanted = Read-Wanted
    } while ($wanted -and $wanted.hash -ne $state.wanted)
    if (-not $wanted) { exit 0 }
    $state.paths = @($saved.paths | Where-Object { @($wanted.files | ForEach-Object { $_.path }) -ccontains $_ })
    foreach ($file in $wanted.files) {
        if (@($file.hosts | Where-Object { $faults.ContainsKey($_) }).Count -gt 0) { continue }
        Save-RegistryFile $file $tokens @($saved.paths)
        if ($state.paths -cnotcontains $file.path) { $state.paths += $file.path }
    }
    foreach ($registry in @($faults.Keys | Sort-Object)) { throw $faults[$registry] }
    $state.renewed = Get-Now
}

# Nobody reads a task's output, so errors go to a record and an event.
function Save-Result([string] $fault) {
    $state.ok = -not $fault
    $state.error = $fault
    $words = if ($fault) { "The passwords of ECR could not be renewed: $fault" } else { "The passwords of ECR were renewed; files: $(@($state.paths).Count)." }
    Write-CasementEvent 4004 $state.ok $words
    try { Save-Text $StateFile ($state | ConvertTo-Json -Compress) }
    catch { Write-CasementEvent 4004 $false "The record could not be written: $(Get-ErrorText $_)" }
}

$state = [ordered] @{ at = [DateTime]::UtcNow.ToString('o'); ok = $false; error = ''; renewed = 0; wanted = ''; paths = @() }
$deadline = [DateTime]::UtcNow.AddSeconds($WaitSeconds)
while ($true) {
    try {
        $saved = Get-SavedState
        $state.renewed = $saved.renewed
        $state.paths = $saved.paths
        $wanted = Read-Wanted
        if (-not $wanted -or -not (Test-Due $saved $wanted)) { exit 0 }
        Invoke-Renewal $saved $wanted
        Save-Result ''
        exit 0
    } catch {
        $fault = $_
    }
    if (@('metadata-silent', 'aws-unreachable') -cnotcontains (Get-ErrorCode $fault) -or [DateTime]::UtcNow -ge $deadline) {
        Save-Result (Get-ErrorText $fault)
        exit 1
    }
    Start-Sleep -Seconds $PauseSeconds
}
