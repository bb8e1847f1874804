# Writes into the log Application, where Windows' own tools look; a log that cannot be written stops nothing.
function Write-CasementEvent([int] $id, [bool] $ok, [string] $text) {
    try {
        New-EventLog -LogName Application -Source Casement -ErrorAction SilentlyContinue
        $kind = if ($ok) { 'Information' } else { 'Warning' }
        # Windows takes 31,839 characters (reference of ReportEvent).
        if ($text.Length -gt 20000) { $text = $text.Substring(0, 20000) }
        Write-EventLog -LogName Application -Source Casement -EventId $id -EntryType $kind -Message $text
    } catch {
        Write-Verbose "The event could not be written: $($_.Exception.Message)"
    }
}
