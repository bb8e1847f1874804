# Asks the instance metadata service (IMDSv2), past any proxy. A route in the table proves nothing: only an answer does.
# AWS_EC2_METADATA_SERVICE_ENDPOINT is the variable the AWS SDKs read for its address.
function New-MetadataRequest([string] $path) {
    $base = $env:AWS_EC2_METADATA_SERVICE_ENDPOINT
    if (-not $base) { $base = 'http://169.254.169.254' }
    $ask = [Net.HttpWebRequest]::Create("$base/latest/$path")
    $ask.Proxy = $null
    $ask.Timeout = 2000
    return $ask
}

function Read-Answer($ask) {
    $answer = $ask.GetResponse()
    try {
        $reader = New-Object IO.StreamReader ($answer.GetResponseStream())
        return $reader.ReadToEnd().Trim()
    } finally {
        $answer.Close()
    }
}

# A session token; $null without an answer.
function Get-MetadataToken {
    try {
        $ask = New-MetadataRequest 'api/token'
        $ask.Method = 'PUT'
        $ask.ContentLength = 0
        $ask.Headers.Add('X-aws-ec2-metadata-token-ttl-seconds', '60')
        return Read-Answer $ask
    } catch {
        return $null
    }
}

function Read-Metadata([string] $token, [string] $path) {
    $ask = New-MetadataRequest "meta-data/$path"
    $ask.Headers.Add('X-aws-ec2-metadata-token', $token)
    return Read-Answer $ask
}

# The MAC address of the instance's primary network interface, as Windows writes it; $null without an answer.
function Get-PrimaryMac([string] $token) {
    try {
        return (Read-Metadata $token 'mac').ToUpperInvariant().Replace(':', '-')
    } catch {
        return $null
    }
}
