# Features, firewall and Defender.

# An installed feature that waits for a reboot is no change, but the reboot is still due. RestartNeeded is Yes, No or
# Maybe (reference of Install-WindowsFeature): Maybe is treated as Yes, before any container network exists.
function Set-PlannedFeature($action) {
    $feature = Get-WindowsFeature -Name $action.name
    if (-not $feature) { throw 'Windows knows no such feature' }
    if ("$($feature.InstallState)" -eq 'Installed') { return $false }
    if ("$($feature.InstallState)" -eq 'InstallPending') {
        Set-RebootDue
        return $false
    }
    $done = Install-WindowsFeature -Name $action.name
    if (-not $done.Success) { throw "Install-WindowsFeature answered $($done.ExitCode)" }
    if ("$($done.RestartNeeded)" -ne 'No') { Set-RebootDue }
    return $true
}

function Test-FirewallRule($rule, $action) {
    $port = $rule | Get-NetFirewallPortFilter
    $addresses = @(($rule | Get-NetFirewallAddressFilter).RemoteAddress | ForEach-Object { ConvertTo-Prefix $_ })
    $wanted = @($action.remoteAddresses | ForEach-Object { ConvertTo-Prefix $_ })
    return "$($rule.Enabled)" -eq 'True' -and "$($rule.Action)" -eq 'Allow' -and "$($rule.Direction)" -eq 'Inbound' -and
        "$($rule.Profile)" -eq 'Any' -and $port.Protocol -eq $action.protocol -and
        "$($port.LocalPort)" -eq "$($action.port)" -and (Test-Same $addresses $wanted)
}

function Set-PlannedFirewallRule($action) {
    $rule = Get-NetFirewallRule -Name $action.name -ErrorAction SilentlyContinue
    if ($rule -and (Test-FirewallRule $rule $action)) { return $false }
    $new = @{
        Name = $action.name
        Enabled = 'True'
        Direction = 'Inbound'
        Action = 'Allow'
        Profile = 'Any'
        Protocol = $action.protocol
        LocalPort = $action.port
        RemoteAddress = @($action.remoteAddresses)
    }
    # An existing rule is changed in place: if it were removed first, it would be missing for a moment, or forever.
    if ($rule) { Set-NetFirewallRule @new | Out-Null } else { New-NetFirewallRule @new -DisplayName $action.name | Out-Null }
    if (-not (Test-FirewallRule (Get-NetFirewallRule -Name $action.name) $action)) { throw 'Windows shows the rule otherwise than it was set' }
    return $true
}

# If Defender does not run, there is nothing to exclude from, and calling it fails.
function Set-PlannedExclusion($action) {
    $defender = Get-Service -Name 'WinDefend' -ErrorAction SilentlyContinue
    if (-not $defender -or "$($defender.Status)" -ne 'Running') { return $false }
    if (@((Get-MpPreference).ExclusionProcess) -contains $action.process) { return $false }
    Add-MpPreference -ExclusionProcess $action.process
    return $true
}
