--- A sidecar on another machine: `cmd = { 'ssh', 'box', 'sidefork', 'serve' }`. What it names (folders, programs) is there,
--- and so a program is started there: `ssh -t box LINE`.
local M = {}

-- ssh's options that take a value (ssh(1)).
local with_value = 'BbcDEeFIiJLlmOoPpQRSWw'

---@class sidefork.Host
---@field name string as ssh is told it
---@field ssh string[] the command up to the host
---@field program string[] sidefork there

---@param program string[]
---@return string[]
local function without_serve(program)
  while #program > 1 and (program[#program] == 'serve' or program[#program] == '--stdio') do
    table.remove(program)
  end
  return program
end

--- The machine that a sidecar's command goes to; nil for this one.
---@param cmd string[]
---@return sidefork.Host?
function M.of(cmd)
  local name = vim.fs.basename(cmd[1]):gsub('%.exe$', '')
  if name ~= 'ssh' then
    return nil
  end
  local i = 2
  while cmd[i] and cmd[i]:sub(1, 1) == '-' do
    if cmd[i] == '--' then
      i = i + 1
      break
    end
    local takes = cmd[i]:find('[' .. with_value .. ']', 2)
    if takes == #cmd[i] then
      i = i + 1 -- its value is the next word
    end
    i = i + 1
  end
  if not cmd[i] then
    return nil
  end
  return { name = cmd[i], ssh = vim.list_slice(cmd, 1, i), program = without_serve(vim.list_slice(cmd, i + 1)) }
end

--- sidefork's own command on the sidecar's machine, for its other subcommands.
---@param cmd string[]
---@return string[]
function M.program(cmd)
  local box = M.of(cmd)
  return box and vim.list_slice(box.program) or without_serve(vim.list_slice(cmd))
end

--- A word for a POSIX shell. ssh makes one line of its words and gives it to a shell.
---@param word string
---@return string
function M.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---@param argv string[]
---@return string
function M.line(argv)
  return table.concat(vim.tbl_map(M.quote, argv), ' ')
end

--- The argv that runs a line of the host's shell on a terminal there.
---@param host sidefork.Host
---@param line string
---@return string[]
function M.on_terminal(host, line)
  local argv = { host.ssh[1], '-t' }
  vim.list_extend(argv, host.ssh, 2)
  argv[#argv + 1] = line
  return argv
end

--- The argv that runs a program, here or there, without a terminal.
---@param host sidefork.Host?
---@param argv string[]
---@return string[]
function M.plain(host, argv)
  if not host then
    return argv
  end
  local there = vim.deepcopy(host.ssh)
  there[#there + 1] = M.line(argv)
  return there
end

return M
