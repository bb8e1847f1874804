# The exact fields of each kind of action: names are case-sensitive, and content from the bucket is pinned by its hash.
# The simulated machine has the same schema.
$Fits = @{
    text = { param($value) $value -is [string] }
    variable = { param($value) $null -eq $value -or $value -is [string] -or ((Test-Source $value) -and $value.from -ceq 'template') }
    texts = { param($value) $value -is [array] -and @($value | Where-Object { $_ -isnot [string] }).Count -eq 0 }
    number = 'Test-Number'
    numbers = { param($value) $value -is [array] -and @($value | Where-Object { -not (Test-Number $_) }).Count -eq 0 }
    port = { param($value) (Test-Number $value) -and $value -ge 1 -and $value -le 65535 -and $value -eq [Math]::Floor($value) }
    access = { param($value) @('system', 'inherited') -ccontains $value }
    protocol = { param($value) @('TCP', 'UDP') -ccontains $value }
    start = { param($value) @('Automatic', 'Manual') -ccontains $value }
    state = { param($value) @('Running', 'Stopped') -ccontains $value }
    store = { param($value) @('Root', 'CA') -ccontains $value }
    thumbprint = { param($value) $value -is [string] -and $value -cmatch '^[0-9A-F]{40}$' }
    source = 'Test-Source'
    hash = 'Test-Hash'
    hashes = { param($value) $value -is [array] -and @($value | Where-Object { $_ -isnot [string] -or $_ -cnotmatch '^[0-9a-f]{64}$' }).Count -eq 0 }
}

# A field whose name ends with "?" may be missing.
$Shapes = @{
    'directory' = @{ path = 'text'; access = 'access' }
    'file' = @{ path = 'text'; source = 'source'; sha256 = 'hash'; access = 'access'; 'expects?' = 'hashes' }
    'remove-file' = @{ path = 'text'; 'expects?' = 'hashes' }
    'remove-directory' = @{ path = 'text' }
    'certificate' = @{ store = 'store'; thumbprint = 'thumbprint'; base64 = 'text' }
    'remove-certificate' = @{ store = 'store'; thumbprint = 'thumbprint' }
    'feature' = @{ name = 'text' }
    'firewall-rule' = @{ name = 'text'; protocol = 'protocol'; port = 'port'; remoteAddresses = 'texts' }
    'service' = @{
        name = 'text'; description = 'text'; commandLine = 'text'; startType = 'start'
        dependsOn = 'texts'; restartAfter = 'numbers'
    }
    'service-variable' = @{ service = 'text'; name = 'text'; value = 'variable'; 'expects?' = 'hashes' }
    'service-recovery' = @{ name = 'text'; restartAfter = 'numbers' }
    'service-state' = @{ name = 'text'; state = 'state'; 'log?' = 'text' }
    'task' = @{ name = 'text'; script = 'text'; arguments = 'texts'; everyMinutes = 'number' }
    'remove-task' = @{ name = 'text' }
    'run-task' = @{ name = 'text'; withinSeconds = 'number'; 'record?' = 'text' }
    'defender-exclusion' = @{ process = 'text' }
}

function Test-Number($value) {
    return $value -is [ValueType] -and $value -isnot [bool] -and $value -isnot [DateTime] -and $value -ge 0
}

$Sources = @{
    inline = @('base64'); bucket = @('bucket', 'key', 'version'); secret = @('secretId', 'field')
    template = @('base64', 'secretId', 'version')
}

function Test-Source($source) {
    if (-not (Test-Has $source 'from') -or @($Sources.Keys) -cnotcontains $source.from) { return $false }
    foreach ($name in $Sources[$source.from]) {
        if (-not (Test-Has $source $name) -or $source.$name -isnot [string]) { return $false }
    }
    return $true
}

# Only the hash of what comes from a secret is unknown in advance.
function Test-Hash($value, $action) {
    if ($null -eq $value) { return (Test-Has $action.source 'from') -and @('secret', 'template') -ccontains $action.source.from }
    return $value -is [string] -and $value -cmatch '^[0-9a-f]{64}$'
}

function Assert-Action($action) {
    if (-not (Test-Has $action 'do') -or @($Shapes.Keys) -cnotcontains $action.do) { throw 'this script knows no such action' }
    $shape = $Shapes[$action.do]
    foreach ($field in @($shape.Keys | Sort-Object)) {
        $name = $field.TrimEnd('?')
        if ($name -cne $field -and -not (Test-Has $action $name)) { continue }
        if (-not (Test-Has $action $name) -or -not (& $Fits[$shape[$field]] $action.$name $action)) {
            throw "the action's $name is missing or wrong"
        }
    }
}
