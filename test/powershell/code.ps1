# Names the code of an error for each case, one a line: an exception with that HRESULT, or an error with that id.
[CmdletBinding()]
param([string] $CausesFile, [string] $CasesFile)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
. $CausesFile

# Windows' exceptions have a number of their own; the test gives it to one as Windows would.
Add-Type -TypeDefinition 'public class Numbered : System.IO.IOException { public Numbered(string words, int number) : base(words, number) { } }'

foreach ($case in (Get-Content -LiteralPath $CasesFile -Raw | ConvertFrom-Json)) {
    try {
        $number = [Convert]::ToInt32($case.number, 16)
        if ($case.kind -eq 'id') {
            $fault = New-Object Exception 'Kein Speicherplatz'
            throw (New-Object Management.Automation.ErrorRecord $fault, "HRESULT 0x$($case.number),Get-CimInstance", 'NotSpecified', $null)
        }
        throw (New-Object Exception 'outer', (New-Object Numbered 'Kein Speicherplatz', $number))
    } catch {
        "$($case.number) $(Get-ErrorCode $_)".Trim()
    }
}
