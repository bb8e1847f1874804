# Sets single variables of a service's own environment: the strings of others stay, in their order.

# Notes what the process of a service started with, before the first change.
function Save-Started([string] $service, [string[]] $environment) {
    $process = Get-ServiceIdentity $service
    $note = Join-Path $CasementHome "started-$service.txt"
    if (-not $process -or "$(Get-Content -LiteralPath $note -Raw -ErrorAction SilentlyContinue)".StartsWith($process)) { return }
    Save-Text $note "$process$(Get-TextHash ($environment -join "`n"))"
}

# With "expects", a variable with another value was set by others. A URL is compared without its name and password.
function Test-Foreign($action, [string[]] $own) {
    if (-not (Test-Has $action 'expects')) { return $false }
    $hashes = @($own | ForEach-Object { Get-TextHash ($_.Substring($action.name.Length + 1) -replace '//[^/@]*@', '//') })
    return @($hashes | Where-Object { @($action.expects) -cnotcontains $_ }).Count -gt 0
}

# Names of variables have no case.
function Set-PlannedServiceVariable($action) {
    $service = $action.service
    if (-not (Get-Service -Name $service -ErrorAction SilentlyContinue)) { throw 'there is no such service' }
    $now = @(Get-OwnEnvironment $service)
    $own = @($now | Where-Object { $_.Split('=')[0] -eq $action.name })
    $value = $action.value
    if ($null -ne $value -and $value -isnot [string]) { $value = Get-FilledText $value }
    $wanted = @(if ($null -ne $value) { "$($action.name)=$value" })
    if (($own -join "`n") -ceq ($wanted -join "`n")) { return $false }
    if (Test-Foreign $action $own) {
        if ($null -eq $value) { return $false }
        throw (New-Fault 'foreign-variable' "Casement did not set $($action.name) in the environment of the service $service")
    }
    Save-Started $service $now
    $key = "HKLM:\SYSTEM\CurrentControlSet\Services\$service"
    $new = @($now | Where-Object { $own -cnotcontains $_ }) + $wanted
    if ($new.Count -eq 0) { Remove-ItemProperty -Path $key -Name Environment }
    else { New-ItemProperty -Path $key -Name Environment -PropertyType MultiString -Value ([string[]] $new) -Force | Out-Null }
    if (Get-ServiceIdentity $service) { Add-RestartDue $service }
    return $true
}
