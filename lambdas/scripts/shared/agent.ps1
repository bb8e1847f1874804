# Does S3 answer this machine without a proxy? Any answer will do.
function Test-DirectWay {
    $token = Get-MetadataToken
    if (-not $token) { return $false }
    try {
        $base = $env:AWS_ENDPOINT_URL
        if (-not $base) { $base = "https://s3.$(Read-Metadata $token 'placement/region').$(Read-Metadata $token 'services/domain')" }
        $ask = [Net.HttpWebRequest]::Create($base)
        $ask.Proxy = $null
        $ask.Timeout = 5000
        $ask.AllowAutoRedirect = $false
        $ask.GetResponse().Close()
        return $true
    } catch {
        for ($fault = $_.Exception; $fault; $fault = $fault.InnerException) {
            if ($fault -is [Net.WebException] -and $fault.Response) { $fault.Response.Close(); return $true }
        }
        return $false
    }
}

# Places of the variables by which the SSM agent uses a proxy (amazon-ssm-agent, agent/proxyconfig); none if the machine
# reaches AWS without it, as Casement's scripts must. Names of variables have no case.
function Get-AgentAnswer {
    $machine = Get-Found { Get-ItemProperty -Path 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' }
    $set = @(if ($machine) { $machine.PSObject.Properties | Where-Object { $_.Name -match '^https?_proxy$' -and "$($_.Value)" } })
    $places = @(
        if (@(Get-OwnEnvironment 'AmazonSSMAgent') -match '^https?_proxy=.') { 'service' }
        if ($set.Count -gt 0) { 'machine' }
    )
    if ($places.Count -gt 0 -and (Test-DirectWay)) { $places = @() }
    return [ordered] @{ proxiedBy = $places }
}
