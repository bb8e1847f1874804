# Reads from AWS with this instance's role: S3's GetObject and Secrets Manager's GetSecretValue. The script signs the
# requests, because importing the AWS module on Amazon's images takes minutes on a cold disk.

# "the secret is not JSON" replaces PowerShell's error, which in 5.1 ends with the whole text that was read.
function Read-Json([string] $text, [string] $what) {
    try { return $text | ConvertFrom-Json } catch { throw "$what is not JSON" }
}

function Get-Hmac([byte[]] $key, [string] $text) {
    $algorithm = New-Object Security.Cryptography.HMACSHA256
    $algorithm.Key = $key
    return , $algorithm.ComputeHash([Text.Encoding]::UTF8.GetBytes($text))
}

# Escapes by RFC 3986: .NET Framework does not escape !'()*.
function Get-Escaped([string] $text) {
    return [regex]::Replace([Uri]::EscapeDataString($text), "[!'()*]", { param($mark) '%{0:X2}' -f [int] $mark.Value[0] })
}

# Sorts by character code, as Signature Version 4 requires; Sort-Object would sort by the machine's language.
function Get-Sorted([string[]] $texts) {
    [Array]::Sort($texts, [StringComparer]::Ordinal)
    return $texts
}

function Get-Query($query) {
    $values = @{}
    foreach ($name in $query.Keys) { $values[(Get-Escaped $name)] = Get-Escaped $query[$name] }
    return @(Get-Sorted @($values.Keys) | ForEach-Object { "$_=$($values[$_])" }) -join '&'
}

function Get-Path([string] $key) {
    return '/' + (@($key.Split('/') | ForEach-Object { Get-Escaped $_ }) -join '/')
}

# Signature Version 4 (IAM User Guide, "Create a signed AWS API request").
# $request: service, method, path (escaped), query, headers (those to sign, by lower-case name), bodyHash.
function Get-CanonicalRequest($request) {
    $names = @(Get-Sorted @($request.headers.Keys))
    $lines = @($names | ForEach-Object { "${_}:$("$($request.headers[$_])".Trim() -replace ' +', ' ')" })
    return (@($request.method, $request.path, (Get-Query $request.query)) + $lines + @('', ($names -join ';'), $request.bodyHash)) -join "`n"
}

# The value of the header Authorization.
function Get-Authorization($request, [string] $keyId, [string] $secret, [string] $region) {
    $time = $request.headers['x-amz-date']
    $scope = "$($time.Substring(0, 8))/$region/$($request.service)/aws4_request"
    $text = @('AWS4-HMAC-SHA256', $time, $scope, (Get-TextHash (Get-CanonicalRequest $request))) -join "`n"
    $key = [Text.Encoding]::UTF8.GetBytes("AWS4$secret")
    foreach ($part in $scope.Split('/')) { $key = Get-Hmac $key $part }
    $names = @(Get-Sorted @($request.headers.Keys)) -join ';'
    return "AWS4-HMAC-SHA256 Credential=$keyId/$scope, SignedHeaders=$names, Signature=$(ConvertTo-Hex (Get-Hmac $key $text))"
}

# Of a kind that another try may help.
function New-MetadataFault([string] $words) {
    $fault = New-Object IO.IOException $words
    $fault.Data['code'] = 'metadata-silent'
    return $fault
}

$Role = $null

# The role's credentials with the region and its domain (amazonaws.com; another one in China). They are valid for hours
# and read again in their last five minutes.
function Get-Role {
    if ($script:Role -and $script:Role.until -gt [DateTime]::UtcNow.AddMinutes(5)) { return $script:Role }
    $token = Get-MetadataToken
    if (-not $token) { throw (New-MetadataFault 'the metadata service does not answer') }
    try {
        $name = Read-Metadata $token 'iam/security-credentials/'
        $found = Read-Json (Read-Metadata $token "iam/security-credentials/$name") "the metadata service's answer"
        $region = Read-Metadata $token 'placement/region'
        $domain = Read-Metadata $token 'services/domain'
    } catch {
        $fault = Find-Exception $_ ([Net.WebException])
        if ($fault -and $fault.Response) { $fault.Response.Close() }
        throw (New-MetadataFault "the metadata service gave no credentials: $(Get-ErrorText $_)")
    }
    if ($found.Code -ne 'Success') { throw (New-MetadataFault "the metadata service gave no credentials: $($found.Code)") }
    $until = ([DateTime] $found.Expiration).ToUniversalTime()
    $script:Role = @{ key = $found.AccessKeyId; secret = $found.SecretAccessKey; token = $found.Token; until = $until; region = $region; domain = $domain }
    return $script:Role
}

# The address of a service in this region; the AWS SDKs read another address from AWS_ENDPOINT_URL too.
function Get-Endpoint([string] $name, $role) {
    if ($env:AWS_ENDPOINT_URL) { return $env:AWS_ENDPOINT_URL.TrimEnd('/') }
    return "https://$name.$($role.region).$($role.domain)"
}

function Add-Signature($request, [string] $authority, $role) {
    $time = [DateTime]::UtcNow.ToString("yyyyMMdd'T'HHmmss'Z'", [Globalization.CultureInfo]::InvariantCulture)
    $request.headers['host'] = $authority
    $request.headers['x-amz-date'] = $time
    $request.headers['x-amz-security-token'] = $role.token
    return Get-Authorization $request $role.key $role.secret $role.region
}

# .NET sets Host automatically and accepts Content-Type only as a property.
function New-SignedRequest($request) {
    $role = Get-Role
    $address = "$(Get-Endpoint $request.endpoint $role)$($request.path)"
    if ($request.query.Count -gt 0) { $address += "?$(Get-Query $request.query)" }
    $ask = [Net.HttpWebRequest]::Create($address)
    $authorization = Add-Signature $request $ask.RequestUri.Authority $role
    $ask.Method = $request.method
    $ask.Timeout = 20000
    $ask.ReadWriteTimeout = 60000
    $ask.AllowAutoRedirect = $false
    foreach ($name in @($request.headers.Keys)) {
        if ($name -eq 'content-type') { $ask.ContentType = $request.headers[$name] }
        elseif ($name -ne 'host') { $ask.Headers.Add($name, $request.headers[$name]) }
    }
    $ask.Headers.Add('Authorization', $authorization)
    return $ask
}

function Write-Body($ask, [string] $body) {
    if (-not $body) { return }
    $bytes = [Text.Encoding]::UTF8.GetBytes($body)
    $ask.ContentLength = $bytes.Length
    $stream = $ask.GetRequestStream()
    try { $stream.Write($bytes, 0, $bytes.Length) } finally { $stream.Dispose() }
}

# One try; any status but 200, or a truncated answer, is an error.
function Copy-Answer($request, $into) {
    $ask = New-SignedRequest $request
    Write-Body $ask $request.body
    $answer = $ask.GetResponse()
    try {
        if ([int] $answer.StatusCode -ne 200) { throw (New-Fault 'aws-refuses-machine' (Get-Refusal $answer $request.name).words) }
        $answer.GetResponseStream().CopyTo($into)
        if ($answer.ContentLength -ge 0 -and $into.Length -ne $answer.ContentLength) {
            throw (New-Object IO.IOException "the answer of $($request.name) ended after $($into.Length) of $($answer.ContentLength) bytes")
        }
    } finally {
        $answer.Close()
    }
}

# Finds the exception of a kind, however deeply PowerShell has wrapped it.
function Find-Exception($record, [Type] $kind) {
    for ($found = $record.Exception; $found; $found = $found.InnerException) { if ($kind.IsInstanceOfType($found)) { return $found } }
}

# Code and message of a refusal: XML from S3, JSON from Secrets Manager. Only the first line of the message is used:
# the next lines are the text to sign, which contains the session's token.
function Read-Refusal($answer) {
    $body = (New-Object IO.StreamReader ($answer.GetResponseStream())).ReadToEnd()
    if ($body -match '<Code>([^<]*)</Code>') { $code = $Matches[1] }
    elseif ($body -match '"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"') { $code = $Matches[1] }
    else { $code = '' }
    if ($body -match '<Message>([^<]*)</Message>') { $message = [Net.WebUtility]::HtmlDecode($Matches[1]) }
    elseif ($body -match '"[mM]essage"\s*:\s*"((?:[^"\\]|\\.)*)"') { $message = [regex]::Unescape($Matches[1]) }
    else { $message = '' }
    return @{ code = $code; message = "$message".Split("`n")[0].Trim() }
}

# Signatures are valid for 15 minutes, so each refusal mentions a wrong clock.
function Get-ClockNote($answer, [string] $name) {
    $time = [DateTimeOffset]::MinValue
    $style = [Globalization.DateTimeStyles]::AssumeUniversal
    if (-not [DateTimeOffset]::TryParse($answer.Headers['Date'], [Globalization.CultureInfo]::InvariantCulture, $style, [ref] $time)) { return '' }
    $now = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
    $said = $time.ToUnixTimeSeconds()
    if ([Math]::Abs($now - $said) -lt 300) { return '' }
    return "; the clock of this machine says $(Get-TimeText $now), the clock of $name $(Get-TimeText $said)"
}

function Get-Refusal($answer, [string] $name) {
    $said = Read-Refusal $answer
    $status = [int] $answer.StatusCode
    $words = "$status $($said.code)".Trim()
    if ($said.message) { $words = "$($said.message) ($words)" }
    # The credentials may have expired in transit: the next try reads them again.
    if ($said.code -like 'ExpiredToken*') { $script:Role = $null }
    $passes = @(429, 500, 502, 503, 504) -contains $status -or $said.code -match '^(ExpiredToken|Throttling|RequestTimeout$|SlowDown)'
    return @{ code = 'aws-refuses-machine'; passes = $passes; words = "$name answered: $words" + (Get-ClockNote $answer $name) }
}

# The error in words, and whether another try may succeed.
function Get-Fault($record, [string] $name) {
    $fault = Find-Exception $record ([Net.WebException])
    if (-not $fault) { return @{ code = Get-ErrorCode $record; passes = $null -ne (Find-Exception $record ([IO.IOException])); words = Get-ErrorText $record } }
    if ($fault.Response) {
        # .NET Framework keeps two connections to a host, and the next try needs one.
        try { return Get-Refusal $fault.Response $name } finally { $fault.Response.Close() }
    }
    return @{ code = 'aws-unreachable'; passes = "$($fault.Status)" -ne 'TrustFailure'; words = "$name does not answer: $($fault.Message)" }
}

# Tries five times, with random pauses of up to ten seconds, so that machines do not retry together.
function Send-Request($request, [scriptblock] $openTarget) {
    for ($try = 1; ; $try++) {
        $into = & $openTarget
        try {
            Copy-Answer $request $into
            return $into
        } catch {
            $fault = Get-Fault $_ $request.name
        } finally {
            $into.Dispose()
        }
        if ($try -ge 5 -or -not $fault.passes) { throw (New-Fault $fault.code $fault.words) }
        Start-Sleep -Milliseconds (Get-Random -Minimum (500 * $try * $try) -Maximum (600 * $try * $try))
    }
}

# Uses the bucket's own host, unless its name has dots: no certificate matches that. A path is signed as it is sent.
function New-ObjectRequest($place) {
    $empty = Get-TextHash ''
    $path = Get-Path $place.key
    $endpoint = "$($place.bucket).s3"
    if ($env:AWS_ENDPOINT_URL -or $place.bucket.Contains('.')) {
        $endpoint = 's3'
        $path = "/$($place.bucket)$path"
    }
    return @{
        name = 'S3'; service = 's3'; endpoint = $endpoint; method = 'GET'; path = $path; body = ''; bodyHash = $empty
        query = @{ versionId = $place.version }
        headers = @{ 'x-amz-content-sha256' = $empty }
    }
}

# Writes one version of an object into a file.
function Save-Object($place, [string] $to) {
    Send-Request (New-ObjectRequest $place) { [IO.File]::Create($to) } | Out-Null
}

function Read-Object($place) {
    return , (Send-Request (New-ObjectRequest $place) { New-Object IO.MemoryStream }).ToArray()
}

function New-SecretRequest([string] $secretId, [string] $version) {
    $asked = @{ SecretId = $secretId }
    if ($version) { $asked.VersionId = $version }
    $body = ConvertTo-Json $asked -Compress
    return @{
        name = 'Secrets Manager'; service = 'secretsmanager'; endpoint = 'secretsmanager'; method = 'POST'; path = '/'
        body = $body; bodyHash = Get-TextHash $body; query = @{}
        headers = @{ 'content-type' = 'application/x-amz-json-1.1'; 'x-amz-target' = 'secretsmanager.GetSecretValue' }
    }
}

# Reads a secret's text, never printed. If Secrets Manager has deleted the version, the current one takes its place.
function Read-SecretText([string] $secretId, [string] $version) {
    try {
        $into = Send-Request (New-SecretRequest $secretId $version) { New-Object IO.MemoryStream }
    } catch {
        if (-not $version -or "$_" -notlike '*ResourceNotFoundException*') { throw }
        return Read-SecretText $secretId ''
    }
    $answer = Read-Json ([Text.Encoding]::UTF8.GetString($into.ToArray())) 'the answer of Secrets Manager'
    if (-not (Test-Has $answer 'SecretString')) { throw 'the secret holds no text' }
    return $answer.SecretString
}
