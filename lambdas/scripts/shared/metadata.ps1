# Asks the instance metadata service for a session token (IMDSv2), past any proxy. A route in the table proves
# nothing: only an answer does. AWS_EC2_METADATA_SERVICE_ENDPOINT is the variable the AWS SDKs read for its address.
function Get-MetadataToken {
    $base = $env:AWS_EC2_METADATA_SERVICE_ENDPOINT
    if (-not $base) { $base = 'http://169.254.169.254' }
    try {
        $ask = [Net.HttpWebRequest]::Create("$base/latest/api/token")
        $ask.Proxy = $null
        $ask.Method = 'PUT'
        $ask.Timeout = 2000
        $ask.ContentLength = 0
        $ask.Headers.Add('X-aws-ec2-metadata-token-ttl-seconds', '60')
        return Read-Answer $ask
    } catch {
        return $null
    }
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

# The MAC address of the instance's primary network interface, as Windows writes it; $null without an answer.
function Get-PrimaryMac([string] $token) {
    $base = $env:AWS_EC2_METADATA_SERVICE_ENDPOINT
    if (-not $base) { $base = 'http://169.254.169.254' }
    try {
        $ask = [Net.HttpWebRequest]::Create("$base/latest/meta-data/mac")
        $ask.Proxy = $null
        $ask.Timeout = 2000
        $ask.Headers.Add('X-aws-ec2-metadata-token', $token)
        return (Read-Answer $ask).ToUpperInvariant().Replace(':', '-')
    } catch {
        return $null
    }
}
