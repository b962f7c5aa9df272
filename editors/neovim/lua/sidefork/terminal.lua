--- Agents in terminal buffers.
local config = require('sidefork.config')
local host = require('sidefork.host')
local words = require('sidefork.words')

local M = {}

---@class sidefork.Launch
---@field argv? string[]
---@field cwd? string
---@field env? table<string, string>
---@field unset? string[]
---@field commandLine? { posix: string }
---@field tmux? string

-- What a terminal of Neovim does not hand on to its program, since it says something of Neovim's own (`:help jobstart-env`).
local own = { 'COLORTERM', 'COLUMNS', 'LINES', 'TERMCAP', 'VIM', 'VIMRUNTIME', 'NVIM', 'MYVIMRC' }

--- The environment of a launch, as jobstart's options. Of a table given to it, it cannot take a variable away: where one has
--- to go, it gets all the others.
---@param launch sidefork.Launch
---@return { env?: table<string, string>, clear_env?: boolean }
local function environment(launch)
  local env = vim.deepcopy(launch.env or {})
  if not launch.unset or #launch.unset == 0 then
    return { env = next(env) and env or nil }
  end
  local all = vim.fn.environ()
  for _, names in ipairs({ own, launch.unset }) do
    for _, name in ipairs(names) do
      all[name] = nil
    end
  end
  if vim.o.termguicolors then
    all.COLORTERM = 'truecolor'
  end
  return { env = vim.tbl_extend('force', all, env), clear_env = true }
end

--- The argv of a launch, and the options of jobstart that go with it.
---@param launch sidefork.Launch
---@return string[]? argv nil where it has none that can be run
---@return table options
function M.command(launch)
  local box = host.of(config.get().cmd)
  if launch.tmux then
    if not launch.tmux:match('^[%w_][%w_.+/@=-]*$') then
      return nil, {}
    end
    local argv = vim.list_extend(host.program(config.get().cmd), { 'attach', launch.tmux })
    return box and host.on_terminal(box, host.line(argv)) or argv, {}
  end
  if box then
    local line = (launch.commandLine or {}).posix
    return line and line ~= '' and host.on_terminal(box, line) or nil, {}
  end
  local options = environment(launch)
  options.cwd = launch.cwd
  return launch.argv and #launch.argv > 0 and launch.argv or nil, options
end

--- Run a program in a new terminal buffer. It is shown by whoever wants to.
---@param argv string[]|string a string is a line for the user's shell
---@param options { cwd?: string, env?: table, clear_env?: boolean, title?: string }
---@return integer? buf
---@return string? why not
function M.open(argv, options)
  local buf = vim.api.nvim_create_buf(true, false)
  local how = vim.empty_dict() -- an empty table is a list to 0.10
  for _, name in ipairs({ 'cwd', 'env', 'clear_env' }) do
    how[name] = options[name]
  end
  local ok, job = pcall(vim.api.nvim_buf_call, buf, function()
    if vim.fn.has('nvim-0.11') == 1 then
      how.term = true
      return vim.fn.jobstart(argv, how)
    end
    return vim.fn.termopen(argv, how)
  end)
  if not ok or job <= 0 then
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
    local program = type(argv) == 'table' and argv[1] or argv
    return nil,
      words.line(
        ('%s could not be started: %s'):format(program, ok and 'it is no program.' or tostring(job):match('[^\n]*'))
      )
  end
  if options.title then
    vim.b[buf].term_title = words.inert(options.title) -- until the program says another
  end
  return buf
end

--- What a terminal's buffer shows, without the empty lines after it.
---@param buf integer
---@return string
function M.text(buf)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  return (text:gsub('%s+$', ''))
end

---@param word string
---@return string
local function name_of(word)
  return (vim.fs.basename(word):gsub('^%-', ''):gsub('%.exe$', ''))
end

local shells = { 'sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'nu', 'pwsh', 'powershell', 'cmd', 'tmux', 'ssh' }

---@param name string
---@return boolean
local function is_program(name)
  return name:match('^[%w_][%w_.+-]*$') ~= nil
    and not vim.list_contains(shells, name)
    and name ~= name_of(vim.split(vim.o.shell, ' ')[1])
end

--- The name of the program that a terminal runs: what it was opened with, or what its shell has started. nil for a shell
--- that waits.
---@param buf integer
---@return string?
function M.program(buf)
  local command = vim.api.nvim_buf_get_name(buf):match('^term://.-//%d+:(.*)$')
  local opened = command and name_of(vim.split(command, ' ')[1])
  if opened and is_program(opened) then
    return opened
  end
  local pid = vim.b[buf].terminal_job_pid
  for _ = 1, 8 do
    local ok, children = pcall(vim.api.nvim_get_proc_children, pid)
    if not ok or #children == 0 then
      return nil
    end
    pid = children[#children]
    local known, about = pcall(vim.api.nvim_get_proc, pid)
    local name = known and type(about) == 'table' and name_of(about.name or '')
    if name and is_program(name) then
      return name
    end
  end
end

--- Paste a text into the prompt of the agent in a terminal's buffer, as one paste without an Enter.
---@param buf integer
---@param text string
function M.paste(buf, text)
  vim.api.nvim_buf_call(buf, function()
    vim.api.nvim_put(vim.split(words.text(text), '\n'), 'c', true, true)
  end)
end

return M
