# casement-script: observe
#
# Says what this machine looks like, as far as later steps decide by it. Changes nothing. Its request is {}, or
# {"files": [paths]}: then it says the sha256 of these files and nothing else, so that many machines can be asked often.
[CmdletBinding()]
param([string] $Request = '{{ Request }}')

# include: shared/session.ps1

# include: shared/causes.ps1

# include: shared/metadata.ps1

# include: shared/identity.ps1

function Test-RebootPending($features) {
    $signs = @(
        'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending',
        'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired'
    )
    if (@($signs | Where-Object { Test-Path -Path $_ }).Count -gt 0) { return $true }
    return @($features | Where-Object { "$($_.InstallState)" -like '*Pending' }).Count -gt 0
}

# Our own, told by their description, and the two of AWS that the metadata route decides about.
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

# The command comes with the feature Containers: without it there are no networks.
function Get-NetworkNames {
    if (-not (Get-Command -Name Get-HnsNetwork -ErrorAction SilentlyContinue)) { return }
    Get-HnsNetwork | ForEach-Object { "$($_.Name)" } | Sort-Object
}

function Get-Observation {
    $features = @(Get-WindowsFeature | Where-Object { "$($_.InstallState)" -like 'Install*' })
    return [ordered] @{
        script = 'observe'
        ok = $true
        bootId = Get-BootId
        clock = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
        build = "$((Get-CimInstance -ClassName Win32_OperatingSystem).Version)"
        metadataAnswers = [bool] (Get-MetadataToken)
        guard = Get-GuardState
        features = @($features | Where-Object { "$($_.InstallState)" -eq 'Installed' } | ForEach-Object { "$($_.Name)" })
        rebootPending = Test-RebootPending $features
        services = @(Get-Services)
        hnsNetworks = @(Get-NetworkNames)
    }
}

# A file that is not there has no sha256.
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

try {
    $asked = Read-Request $Request
    if (Test-Has $asked 'files') { Write-Result (Get-FileObservation $asked.files) }
    else { Write-Result (Get-Observation) }
    exit 0
} catch {
    Write-Result ([ordered] @{ script = 'observe'; ok = $false; error = Get-ErrorText $_ })
    exit 1
}
