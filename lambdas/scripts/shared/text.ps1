# Windows keeps the program of a running process locked; other readers of a file do not show.
function Get-Holders([string] $path) {
    $processes = @(Get-CimInstance -ClassName Win32_Process -ErrorAction SilentlyContinue | Where-Object { "$($_.ExecutablePath)" -eq $path })
    if ($processes.Count -eq 0) { return '' }
    return " It runs as $(@($processes | ForEach-Object { "process $($_.ProcessId)" }) -join ', ')."
}

# Puts a finished file in the place of another in one step. Something that reads the old file may hold it for a
# moment (a virus scanner does), so the replacement is tried five times within five seconds.
function Move-IntoPlace([string] $new, [string] $path) {
    for ($try = 1; ; $try++) {
        try {
            # PowerShell hands $null to a string parameter as "": only NullString means "no backup file".
            if ([IO.File]::Exists($path)) { [IO.File]::Replace($new, $path, [NullString]::Value) }
            else { [IO.File]::Move($new, $path) }
            return
        } catch [IO.IOException], [UnauthorizedAccessException] {
            if ($try -ge 5) { throw (New-Fault (Get-ErrorCode $_) "$($_.Exception.GetBaseException().Message)$(Get-Holders $path)") }
            Start-Sleep -Milliseconds (500 * $try)
        }
    }
}

# Writes UTF-8 without a byte order mark (Set-Content of PowerShell 5.1 writes one); the file is old or new, never half.
# It is on the disk before it takes its place: after a loss of power, NTFS leaves zeros of what was not.
function Save-Text([string] $path, [string] $text) {
    $new = "$path.casement-new"
    $bytes = (New-Object Text.UTF8Encoding $false).GetBytes($text)
    $stream = [IO.File]::Create($new)
    try {
        $stream.Write($bytes, 0, $bytes.Length)
        $stream.Flush($true)
    } finally {
        $stream.Dispose()
    }
    Move-IntoPlace $new $path
}
