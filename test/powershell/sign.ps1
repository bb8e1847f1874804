# Signs requests with the functions of a script of Casement and prints one signature a line. It sends nothing.
param([string] $HashFile, [string] $Functions, [string] $CasesFile)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. $HashFile
. $Functions
foreach ($case in @(Get-Content -LiteralPath $CasesFile -Raw | ConvertFrom-Json -AsHashtable)) {
    $request = @{
        service = $case.service; method = $case.method; path = Get-Path $case.path.Substring(1)
        query = $case.query; headers = $case.headers; bodyHash = Get-TextHash $case.body
    }
    (Get-Authorization $request $case.keyId $case.secret 'us-east-1') -replace '.*Signature=', ''
}
