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
            if ($try -ge 5) { throw }
            Start-Sleep -Milliseconds (500 * $try)
        }
    }
}

# Writes UTF-8 without a byte order mark (Set-Content of PowerShell 5.1 writes one); the file is old or new, never half.
function Save-Text([string] $path, [string] $text) {
    $new = "$path.casement-new"
    [IO.File]::WriteAllText($new, $text, (New-Object Text.UTF8Encoding $false))
    Move-IntoPlace $new $path
}
