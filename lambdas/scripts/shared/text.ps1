# Finds processes that lock a file as their program; other readers of a file are not visible.
function Get-Holders([string] $path) {
    $processes = @(Get-CimInstance -ClassName Win32_Process -ErrorAction SilentlyContinue | Where-Object { "$($_.ExecutablePath)" -eq $path })
    if ($processes.Count -eq 0) { return '' }
    return " It runs as $(@($processes | ForEach-Object { "process $($_.ProcessId)" }) -join ', ')."
}

# Replaces a file by a finished one in one step. A reader, such as a virus scanner, may hold the old file for a
# moment, so this tries five times within five seconds.
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
# It is flushed before it replaces: after a power loss NTFS would leave zeros.
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
