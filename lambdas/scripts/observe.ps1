# casement-script: observe
#
# Reports the facts of this machine that later steps need. Changes nothing. Its request is {}, or {"files": [paths]}:
# then it reports only the sha256 of these files, so that many machines can be polled often.
#
# {"questions": {group: what}} asks for single facts. The last line is a verdict that a list of many machines shows
# whole: one hash for each group. With "whole": true, the line before it contains the answers.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/metadata.ps1

# include: shared/identity.ps1

# include: shared/prefix.ps1

# include: shared/hash.ps1

# include: shared/environment.ps1

# include: shared/questions.ps1

# include: shared/agent.ps1

# Signs that Windows' components wait for a reboot.
function Get-RebootSigns($features) {
    $windows = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
    if (Test-Path -Path "$windows\Component Based Servicing\RebootPending") { 'servicing' }
    if (Test-Path -Path "$windows\WindowsUpdate\Auto Update\RebootRequired") { 'windows-update' }
    $features | Where-Object { "$($_.InstallState)" -like '*Pending' } | ForEach-Object { "feature $($_.Name)" }
}

# Casement's services, recognised by their description, and the two of AWS that need the metadata route.
function Get-Services {
    $ours = @(Get-CimInstance -ClassName Win32_Service | Where-Object {
        "$($_.Description)" -like 'Casement managed *' -or @('AmazonSSMAgent', 'Amazon EC2Launch') -contains $_.Name
    })
    $kinds = @{ Auto = 'Automatic'; Manual = 'Manual'; Disabled = 'Disabled' }
    foreach ($service in @($ours | Sort-Object -Property Name)) {
        $start = "$($service.StartMode)"
        if ($kinds.ContainsKey($start)) { $start = $kinds[$start] }
        [ordered] @{ name = $service.Name; state = "$($service.State)"; startType = $start }
    }
}

# The feature Containers brings the command: without the feature there are no networks.
function Get-NetworkNames {
    if (-not (Get-Command -Name Get-HnsNetwork -ErrorAction SilentlyContinue)) { return }
    Get-HnsNetwork | ForEach-Object { "$($_.Name)" } | Sort-Object
}

function Get-Observation {
    $features = @(Get-WindowsFeature | Where-Object { "$($_.InstallState)" -like 'Install*' })
    $signs = @(Get-RebootSigns $features)
    return [ordered] @{
        script = 'observe'
        ok = $true
        bootId = Get-BootId
        clock = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
        freeBytes = (Get-DiskAnswer).freeBytes
        build = "$((Get-CimInstance -ClassName Win32_OperatingSystem).Version)"
        metadataAnswers = [bool] (Get-MetadataToken)
        guard = Get-GuardState
        features = @($features | Where-Object { "$($_.InstallState)" -eq 'Installed' } | ForEach-Object { "$($_.Name)" })
        rebootPending = $signs.Count -gt 0
        rebootSigns = $signs
        services = @(Get-Services)
        hnsNetworks = @(Get-NetworkNames)
    }
}

# A file that does not exist has no sha256.
function Get-Files($paths) {
    foreach ($path in @($paths)) {
        $sha256 = $null
        if (Test-Path -LiteralPath $path -PathType Leaf) { $sha256 = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant() }
        [ordered] @{ path = "$path"; sha256 = $sha256 }
    }
}

function Get-FileObservation($paths) {
    $seen = [ordered] @{ script = 'observe'; ok = $true; files = @(Get-Files $paths) }
    $length = (Get-ResultLine $seen).Length
    if ($length -gt $MostCharacters) { throw "the result has $length characters, and SSM shows 2,500 of each machine: ask for fewer files" }
    return $seen
}

# The groups, in the order in which they are answered. Groups of the first table answer with a list.
$Lists = [ordered] @{
    paths = { param($asked) Get-PathAnswer $asked }
    services = { param($asked) Get-ServiceAnswer $asked }
    exits = { param($asked) Get-ExitAnswer $asked }
    tasks = { param($asked) Get-TaskAnswer $asked }
    rules = { param($asked) Get-RuleAnswer $asked }
    registry = { param($asked) Get-RegistryAnswer $asked }
    certificates = { param($asked) Get-CertificateAnswer $asked }
    routes = { param($asked) Get-RouteAnswer $asked }
}
$Tables = [ordered] @{
    hns = { Get-HnsAnswer }
    reboot = { Get-RebootAnswer }
    boot = { Get-BootAnswer }
    guard = { Get-GuardAnswer }
    metadata = { [ordered] @{ answers = [bool] (Get-MetadataToken) } }
    disk = { Get-DiskAnswer }
    agent = { Get-AgentAnswer }
}

# A wrong or failed question only loses the answer of its own group.
function Get-Answers($questions) {
    $seen = @{ answers = [ordered] @{}; failed = [ordered] @{} }
    foreach ($group in @($questions.PSObject.Properties | ForEach-Object { $_.Name })) {
        try {
            if ($Lists.Contains($group)) { $seen.answers[$group] = @(& $Lists[$group] $questions.$group) }
            elseif ($Tables.Contains($group)) { $seen.answers[$group] = & $Tables[$group] }
            else { throw 'this script knows no such group' }
        } catch {
            $seen.failed[$group] = Get-ErrorText $_
        }
    }
    return $seen
}

function Get-Verdict($hashes, $failed, [int] $most) {
    $words = [ordered] @{}
    foreach ($group in @($failed.Keys)) { $words[$group] = $failed[$group].Substring(0, [Math]::Min($most, $failed[$group].Length)) }
    return [ordered] @{
        script = 'observe'
        ok = $true
        bootId = Get-BootId
        clock = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
        hashes = $hashes
        failed = $words
    }
}

# Cuts the verdict so that a list of many machines shows it whole. Foreign words are escaped, which makes them longer.
function Write-Verdict($hashes, $failed) {
    $verdict = Get-Verdict $hashes $failed 100
    if ((Get-ResultLine $verdict).Length -gt $MostCharacters) { $verdict = Get-Verdict $hashes $failed 10 }
    Write-Result $verdict
}

function Write-Answers($asked) {
    $seen = Get-Answers $asked.questions
    $hashes = [ordered] @{}
    foreach ($group in @($seen.answers.Keys)) { $hashes[$group] = Get-AnswerHash $seen.answers[$group] }
    if ((Test-Has $asked 'whole') -and $asked.whole) { [Console]::Out.WriteLine("answers $(Get-Packed $seen.answers)") }
    Write-Verdict $hashes $seen.failed
}

try {
    $asked = Read-Request $Request
    if (Test-Has $asked 'questions') { Write-Answers $asked }
    elseif (Test-Has $asked 'files') { Write-Result (Get-FileObservation $asked.files) }
    else { Write-Result (Get-Observation) }
    exit 0
} catch {
    Write-Result (Add-Failure ([ordered] @{ script = 'observe'; ok = $false }) $_)
    exit 1
}
