--- A child opens: its folder and its agent, by the option `open`.
local config = require('sidefork.config')
local host = require('sidefork.host')
local log = require('sidefork.log')
local terminal = require('sidefork.terminal')
local words = require('sidefork.words')

local M = {}

---@class sidefork.Child what `open` is given where it is a function
---@field path string of the workspace
---@field branch string
---@field launch? sidefork.Launch
---@field argv? string[] what runs the agent in a terminal; nil for a child without one
---@field options table of jobstart, for argv
---@field terminals { title: string, cwd: string, commandLine?: string }[] the repository's default terminals

---@param result table a fork's
---@return sidefork.Child
function M.child(result)
  local child = {
    path = result.workspace.path,
    branch = result.workspace.branch,
    launch = result.launch,
    terminals = result.terminals or {},
    options = {},
  }
  if result.launch then
    child.argv, child.options = terminal.command(result.launch)
  end
  return child
end

--- Start the agent in a buffer that nothing shows yet.
---@param child sidefork.Child
---@return integer?
local function start(child)
  if not child.argv then
    return nil
  end
  local options = vim.tbl_extend('force', child.options, { title = child.branch })
  local buf, why = terminal.open(child.argv, options)
  if not buf then
    log.notify(('The fork stands in %s, but %s'):format(child.path, why), vim.log.levels.ERROR)
  end
  return buf
end

--- The repository's terminals: each its line in the user's shell, or the shell alone.
---@param child sidefork.Child
local function start_terminals(child)
  if host.of(config.get().cmd) then
    return
  end
  for _, one in ipairs(child.terminals) do
    local line = one.commandLine ~= '' and one.commandLine or nil
    local _, why = terminal.open(line or { vim.o.shell }, { cwd = one.cwd, title = one.title })
    if why then
      log.notify(why, vim.log.levels.WARN)
    end
  end
end

---@type table<string, fun(child: sidefork.Child): integer?>
local ways = {}

---@param buf integer?
local function show(buf)
  if buf then
    local before = vim.api.nvim_get_current_buf()
    vim.api.nvim_win_set_buf(0, buf)
    if vim.api.nvim_buf_get_name(before) == '' and not vim.bo[before].modified then
      vim.api.nvim_buf_delete(before, {}) -- that of the new tab
    end
    vim.cmd.startinsert()
  end
end

--- The folder becomes that of the tab, or of Neovim. Nothing in its name is expanded.
---@param command 'tcd'|'cd'
---@param child sidefork.Child
local function change_folder(command, child)
  if not host.of(config.get().cmd) then
    -- :cd would read $NAME in it. The first one keeps what the folder of the other tabs is.
    local quietly = { args = { '.' }, mods = { silent = true } } -- it would say where it is, and wait for Enter
    vim.cmd[command](quietly)
    assert(vim.uv.chdir(child.path))
    vim.cmd[command](quietly)
  end
end

function ways.tab(child)
  vim.cmd.tabnew()
  change_folder('tcd', child)
  local buf = start(child)
  show(buf)
  return buf
end

function ways.stay(child)
  local buf = start(child)
  if buf then
    log.notify(('%s runs in buffer %d.'):format(child.branch, buf))
  end
  return buf
end

-- What starts a program in a new window, by the terminal that Neovim runs in.
local emulators = {
  { 'TMUX', 'tmux', { 'tmux', 'new-window', '--' } },
  { 'WEZTERM_PANE', 'wezterm', { 'wezterm', 'cli', 'spawn', '--new-window', '--' } },
  { 'KITTY_LISTEN_ON', 'kitten', { 'kitten', '@', 'launch', '--type=os-window' } },
  { 'ALACRITTY_SOCKET', 'alacritty', { 'alacritty', 'msg', 'create-window', '-e' } },
}

---@return string[]?
local function emulator()
  for _, one in ipairs(emulators) do
    if vim.env[one[1]] and vim.fn.executable(one[2]) == 1 then
      return one[3]
    end
  end
end

-- Where the other Neovim finds what it is to open. It is gone once it was read.
local function handed(id)
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'sidefork', id .. '.json')
end

function ways.nvim(child)
  local start_window = config.get().terminal or emulator()
  if not start_window then
    log.notify('No way is known to open a window of this terminal: set the option `terminal`. A tab is opened.')
    return ways.tab(child)
  end
  local id = require('sidefork.operation').uuid()
  vim.fn.mkdir(vim.fs.dirname(handed(id)), 'p', tonumber('700', 8))
  local file = assert(vim.uv.fs_open(handed(id), 'wx', tonumber('600', 8)))
  assert(vim.uv.fs_write(file, vim.json.encode(child)))
  assert(vim.uv.fs_close(file))
  local argv = { vim.v.progpath, '-c', ("lua require('sidefork.open').handed('%s')"):format(id) }
  if type(start_window) == 'function' then
    start_window(argv, child.path)
    return
  end
  local local_path = not host.of(config.get().cmd) and child.path or nil
  vim.system(vim.list_extend(vim.list_slice(start_window), argv), { cwd = local_path, detach = true }, function(done)
    if done.code ~= 0 then
      vim.schedule(function()
        if not os.remove(handed(id)) then
          return -- it was opened: only its window has ended so
        end
        log.notify(
          ('%s failed: %s. The fork is opened in a tab.'):format(start_window[1], words.line(done.stderr)),
          vim.log.levels.WARN
        )
        ways.tab(child)
      end)
    end
  end)
end

--- In the other Neovim: open the child that was handed over.
---@param id string
function M.handed(id)
  if not id:match('^[%x-]+$') then
    return
  end
  local file = io.open(handed(id), 'r')
  if not file then
    return log.notify('There is nothing to open: it was opened already.', vim.log.levels.WARN)
  end
  local text = file:read('*a')
  file:close()
  os.remove(handed(id))
  local child = vim.json.decode(text, { luanil = { object = true } })
  change_folder('cd', child)
  local buf = start(child)
  start_terminals(child)
  show(buf)
end

--- Open what a fork has made.
---@param result table a fork's
---@return integer? buf of the agent's terminal, where it is in this Neovim
function M.open(result)
  local child = M.child(result)
  local how = config.get().open
  if type(how) == 'function' then
    return how(child)
  end
  local buf = ways[how](child)
  if how ~= 'nvim' then
    start_terminals(child)
  end
  return buf
end

--- Open a workspace that was there before: its folder alone.
---@param path string
---@param branch string
function M.workspace(path, branch)
  local how = config.get().open
  local child = { path = path, branch = branch, options = {}, terminals = {} }
  if type(how) == 'function' then
    return how(child)
  end
  return ways[how == 'stay' and 'tab' or how](child)
end

return M
