# Answers questions about the machine: one function for each group. Each returns plain lists and tables, in the order
# of the questions; $null stands for something that does not exist.

# Timeout of CIM: without it an observation would wait for a management service that hangs.
$CimSeconds = 30

# Sorts by character code: Sort-Object sorts by the machine's language.
function Get-Ordered([string[]] $texts) {
    [Array]::Sort($texts, [StringComparer]::Ordinal)
    return $texts
}

# "Does not exist" is an answer. Any other error, such as a denied key or a service that does not answer, fails the
# group, so that it is not taken for absence.
function Get-Found([scriptblock] $look) {
    try { & $look } catch { if ("$($_.CategoryInfo.Category)" -ne 'ObjectNotFound') { throw } }
}

function Get-PathAnswer($paths) {
    foreach ($path in @($paths)) {
        $answer = [ordered] @{ path = "$path"; kind = $null; sha256 = $null; size = $null }
        if (Test-Path -LiteralPath $path -PathType Container) { $answer.kind = 'folder' }
        elseif (Test-Path -LiteralPath $path -PathType Leaf) {
            $answer.kind = 'file'
            $answer.sha256 = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
            $answer.size = [long] (Get-Item -LiteralPath $path -Force).Length
        }
        $answer
    }
}

# Windows reports 1066 if the program has its own code.
function Get-ExitCode($service) {
    if ($service.ExitCode -eq 1066) { return [long] $service.ServiceSpecificExitCode }
    return [long] $service.ExitCode
}

# The start of a process by the machine's clock; $null while there is none.
function Get-ProcessStart($id) {
    if (-not $id) { return $null }
    $process = Get-CimInstance -ClassName Win32_Process -Filter "ProcessId=$id" -OperationTimeoutSec $CimSeconds
    if ($process -and $process.CreationDate) { return Get-Iso $process.CreationDate }
    return $null
}

function Get-ServiceAnswer($questions) {
    $known = @(Get-CimInstance -ClassName Win32_Service -OperationTimeoutSec $CimSeconds)
    $kinds = @{ Auto = 'Automatic'; Manual = 'Manual'; Disabled = 'Disabled' }
    foreach ($question in @($questions)) {
        $answer = [ordered] @{ name = "$($question.name)"; state = $null; startType = $null; exitCode = $null; process = $null; startedAt = $null; log = '' }
        $found = @($known | Where-Object { $_.Name -eq $question.name })
        if ($found.Count -gt 0) {
            $start = "$($found[0].StartMode)"
            $answer.state = "$($found[0].State)"
            $answer.startType = if ($kinds.ContainsKey($start)) { $kinds[$start] } else { $start }
            $answer.exitCode = Get-ExitCode $found[0]
            $answer.process = [long] $found[0].ProcessId
            $answer.startedAt = Get-ProcessStart $found[0].ProcessId
            # Win32_Service writes pending states in two words.
            $answer.state = $answer.state.Replace(' ', '')
            if ($answer.state -ne 'Running' -and (Test-Has $question 'log')) { $answer.log = Get-LogTail $question.log }
        }
        $answer
    }
}

# Exits of services that nobody asked for. 7031: Windows starts the service again; 7034: it does not. 7023 and 7024: the
# service stopped with an error. Windows may write one of each for one exit, so the more frequent ones are counted. All
# of them name the service as people see it.
function Get-ExitAnswer($questions) {
    $asked = @{ LogName = 'System'; ProviderName = 'Service Control Manager'; Id = @(7023, 7024, 7031, 7034); StartTime = (Get-Date) - (New-TimeSpan -Hours 1) }
    $events = @(Get-Found { Get-WinEvent -FilterHashtable $asked -MaxEvents 1000 })
    if ($events.Count -eq 0) { return }
    $known = @(Get-CimInstance -ClassName Win32_Service -OperationTimeoutSec $CimSeconds)
    foreach ($question in @($questions)) {
        $shown = @($known | Where-Object { $_.Name -eq $question.name } | ForEach-Object { "$($_.DisplayName)" })
        $own = @($events | Where-Object { $shown -contains "$($_.Properties[0].Value)" })
        if ($own.Count -eq 0) { continue }
        $crashes = @($own | Where-Object { $_.Id -ge 7031 }).Count
        $answer = [ordered] @{ name = "$($question.name)"; times = [Math]::Max($crashes, $own.Count - $crashes); last = Get-Iso $own[0].TimeCreated; log = '' }
        if (Test-Has $question 'log') { $answer.log = Get-LogTail $question.log }
        $answer
    }
}

# SCHED_S_TASK_HAS_NOT_RUN (0x41303) and SCHED_S_TASK_RUNNING (0x41301) are no results.
function Get-TaskAnswer($questions) {
    foreach ($question in @($questions)) {
        $answer = [ordered] @{ name = "$($question.name)"; enabled = $null; lastResult = $null; error = '' }
        $task = Get-Found { Get-ScheduledTask -TaskName $question.name }
        if ($task) {
            $answer.enabled = "$($task.State)" -ne 'Disabled'
            $last = (Get-ScheduledTaskInfo -TaskName $question.name).LastTaskResult
            if (@(267009, 267011) -notcontains $last) { $answer.lastResult = [long] $last }
            if ($answer.lastResult -and (Test-Has $question 'record')) { $answer.error = Get-RecordedError $question.record }
        }
        $answer
    }
}

function Get-RuleAnswer($names) {
    foreach ($name in @($names)) {
        $answer = [ordered] @{ name = "$name"; enabled = $null; action = $null; protocol = $null; ports = $null; remoteAddresses = @() }
        $rule = Get-Found { Get-NetFirewallRule -Name $name }
        if ($rule) {
            $port = $rule | Get-NetFirewallPortFilter
            $answer.enabled = "$($rule.Enabled)" -eq 'True'
            $answer.action = "$($rule.Action)"
            $answer.protocol = "$($port.Protocol)"
            $answer.ports = @($port.LocalPort) -join ','
            $answer.remoteAddresses = @(Get-Ordered @(($rule | Get-NetFirewallAddressFilter).RemoteAddress | ForEach-Object { ConvertTo-Prefix $_ }))
        }
        $answer
    }
}

# Hides values that look like a secret, such as the password of a proxy: they do not leave the machine.
function Get-RegistryAnswer($questions) {
    foreach ($question in @($questions)) {
        $value = $null
        $values = Get-Found { Get-ItemProperty -Path $question.key }
        if (Test-Has $values $question.name) { $value = Hide-Secrets (@($values.($question.name) | ForEach-Object { "$_" }) -join "`n") }
        [ordered] @{ key = "$($question.key)"; name = "$($question.name)"; value = $value }
    }
}

function Get-CertificateAnswer($stores) {
    foreach ($store in @($stores)) {
        $found = @(Get-Found { Get-ChildItem -Path "Cert:\LocalMachine\$store" } | ForEach-Object { "$($_.Thumbprint)" })
        [ordered] @{ store = "$store"; thumbprints = @(Get-Ordered $found) }
    }
}

# Can packets leave by this adapter? It needs a settled address that is not self-assigned (169.254).
function Test-Usable([int] $index) {
    $interface = Get-Found { Get-NetIPInterface -InterfaceIndex $index -AddressFamily IPv4 }
    if (-not $interface -or "$($interface.ConnectionState)" -ne 'Connected') { return $false }
    $addresses = @(Get-Found { Get-NetIPAddress -InterfaceIndex $index -AddressFamily IPv4 })
    return @($addresses | Where-Object { "$($_.AddressState)" -eq 'Preferred' -and $_.IPAddress -notlike '169.254.*' }).Count -gt 0
}

function Get-RouteAnswer($prefixes) {
    foreach ($prefix in @($prefixes)) {
        foreach ($route in @(Get-Found { Get-NetRoute -DestinationPrefix $prefix -PolicyStore ActiveStore })) {
            $adapter = Get-Found { Get-NetAdapter -InterfaceIndex $route.InterfaceIndex }
            $answer = [ordered] @{ prefix = "$prefix"; nextHop = "$($route.NextHop)"; interface = ''; mac = ''; usable = Test-Usable $route.InterfaceIndex }
            if ($adapter) {
                $answer.interface = "$($adapter.Name)"
                $answer.mac = "$($adapter.MacAddress)"
            }
            $answer
        }
    }
}

# A field of an endpoint that has no value is missing from the service's answer.
function Get-TextOf($object, [string] $name) {
    if (Test-Has $object $name) { return "$($object.$name)" }
    return ''
}

# The feature Containers brings the commands: without the feature there are no networks. An endpoint's address is
# reported if an adapter of the host has it, in any compartment.
function Get-HnsAnswer {
    $answer = [ordered] @{ networks = @(); endpoints = @() }
    if (-not (Get-Command -Name Get-HnsNetwork -ErrorAction SilentlyContinue)) { return $answer }
    $here = @(Get-NetIPConfiguration -AllCompartments -All -ErrorAction SilentlyContinue | ForEach-Object { $_.IPv4Address } | Where-Object { $_ } | ForEach-Object { "$($_.IPAddress)" })
    $answer.networks = @(Get-Ordered @(Get-HnsNetwork | ForEach-Object { Get-TextOf $_ 'Name' }))
    $answer.endpoints = @(Get-HnsEndpoint | Where-Object { Get-TextOf $_ 'Name' } | ForEach-Object {
        $ip = Get-TextOf $_ 'IPAddress'
        [ordered] @{ name = Get-TextOf $_ 'Name'; ip = $ip; attached = $here -contains $ip }
    })
    return $answer
}

# The first file that the next boot renames, or deletes below Windows' folder; empty without one. The registry holds
# pairs of a file and its new name, which is empty for a deletion. Browsers, updaters and installers leave deletions of
# temporary and of their own files there again and again: these are no reason to reboot.
function Get-PendingFile($values) {
    if (-not (Test-Has $values 'PendingFileRenameOperations')) { return '' }
    $names = @($values.PendingFileRenameOperations | ForEach-Object { "$_" })
    $windows = "\??\$($env:SystemDrive)\Windows".Replace('/', '\')
    for ($at = 0; $at -lt $names.Count; $at += 2) {
        $path = $names[$at].Replace('/', '\')
        $isRename = $at + 1 -lt $names.Count -and $names[$at + 1] -ne ''
        $isTemporary = $path -like "$windows\Temp\*" -or $path -like "$windows\SystemTemp\*"
        if ($isRename -or ($path -like "$windows\*" -and -not $isTemporary)) { return $names[$at] -replace '^\\\?\?\\', '' }
    }
    return ''
}

# Places in which Windows records a pending reboot, and variables that Casement set for services that run.
function Get-RebootAnswer {
    $windows = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
    $control = 'HKLM:\SYSTEM\CurrentControlSet\Control'
    $names = "$control\ComputerName"
    $renames = Get-Found { Get-ItemProperty -Path "$control\Session Manager" }
    $now = Get-TextOf (Get-Found { Get-ItemProperty -Path "$names\ActiveComputerName" }) 'ComputerName'
    $next = Get-TextOf (Get-Found { Get-ItemProperty -Path "$names\ComputerName" }) 'ComputerName'
    $file = Get-PendingFile $renames
    $answer = [ordered] @{ reasons = @(
        if (Test-Path -Path "$windows\Component Based Servicing\RebootPending") { 'servicing' }
        if (Test-Path -Path "$windows\WindowsUpdate\Auto Update\RebootRequired") { 'windows-update' }
        if ($file) { 'file-renames' }
        if ($now -ne $next) { 'computer-name' }
        if (Test-EnvironmentPending) { 'proxy' }
    ) }
    $shown = Hide-Secrets $file
    if ($file) { $answer.file = $shown.Substring(0, [Math]::Min(200, $shown.Length)) }
    return $answer
}

function Get-Iso([DateTime] $time) {
    return $time.ToUniversalTime().ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", [Globalization.CultureInfo]::InvariantCulture)
}

# 1074: a program or a person requested it. 41 and 6008, written after a start: the machine was not shut down before.
function Get-BootAnswer {
    $booted = (Get-CimInstance -ClassName Win32_OperatingSystem -OperationTimeoutSec $CimSeconds).LastBootUpTime
    $events = @(Get-Found { Get-WinEvent -FilterHashtable @{ LogName = 'System'; Id = @(41, 1074, 6008) } -MaxEvents 4 })
    return [ordered] @{
        bootedAt = Get-Iso $booted
        events = @($events | ForEach-Object {
            $text = ((Hide-Secrets "$($_.Message)") -replace '\s+', ' ').Trim()
            if ($text.Length -gt 300) { $text = $text.Substring(0, 300) }
            [ordered] @{ id = [int] $_.Id; at = Get-Iso $_.TimeCreated; text = $text }
        })
    }
}

function Get-RepairCount {
    try { return [int] (Get-Content -LiteralPath (Join-Path $CasementHome 'guard.json') -Raw | ConvertFrom-Json).repairs } catch { return 0 }
}

# Does not wait for the guard: while it runs, its last result is unknown.
function Get-GuardAnswer {
    $path = Join-Path $CasementHome 'guard.ps1'
    $task = @(Get-TaskAnswer ([pscustomobject] @{ name = 'Casement guard'; record = (Join-Path $CasementHome 'guard.json') }))[0]
    $file = @(Get-PathAnswer $path)[0]
    return [ordered] @{
        present = $file.kind -eq 'file'
        sha256 = $file.sha256
        taskEnabled = $task.enabled -eq $true
        lastResult = $task.lastResult
        error = $task.error
        repairs = Get-RepairCount
    }
}

function Get-DiskAnswer {
    $drive = Get-CimInstance -ClassName Win32_LogicalDisk -Filter "DeviceID='$($env:SystemDrive)'" -OperationTimeoutSec $CimSeconds
    return [ordered] @{ freeBytes = [long] $drive.FreeSpace; sizeBytes = [long] $drive.Size }
}

# Writes a value as Casement's TypeScript does, because their JSON would differ.
function Get-Canonical($value) {
    if ($null -eq $value) { return '~' }
    if ($value -is [string]) { return "$($value.Length):$value" }
    if ($value -is [bool]) { return "$value".ToLowerInvariant() }
    if ($value -is [Collections.IDictionary]) {
        $fields = @(Get-Ordered @($value.Keys) | ForEach-Object { "$_=$(Get-Canonical $value[$_])" })
        return "{$($fields -join ',')}"
    }
    if ($value -is [array]) { return "[$(@($value | ForEach-Object { Get-Canonical $_ }) -join ',')]" }
    return "$value"
}

function Get-AnswerHash($answer) {
    return (Get-TextHash (Get-Canonical $answer)).Substring(0, 16)
}

# JSON, gzip, base64. SSM keeps the first 24,000 characters of a command's output, and the verdict comes last.
function Get-Packed($answers) {
    $bytes = [Text.Encoding]::UTF8.GetBytes((Get-ResultLine $answers))
    $into = New-Object IO.MemoryStream
    $zip = New-Object IO.Compression.GZipStream $into, ([IO.Compression.CompressionMode]::Compress)
    try { $zip.Write($bytes, 0, $bytes.Length) } finally { $zip.Dispose() }
    $text = [Convert]::ToBase64String($into.ToArray())
    if ($text.Length -gt 21000) { throw "the answers have $($text.Length) characters, and SSM keeps 21000 of them: ask for less" }
    return $text
}
