local W = require('world')
local T = W.set()

-- An agent that nobody knows: it takes pastes, and keeps what it is given.
local wren = [[#!/bin/sh
stty raw -echo
printf '\033[?2004hwren said |%%s\033[31m hello\r\n> '
exec cat >>"$HOME/given"
]]

T['the text of a terminal whose agent has no fork of its own is the draft of a new one'] = function()
  local w = W.new()
  W.write(w.top .. '/bin/wren', wren, '755')
  local child = W.neovim(w)
  child.cmd('terminal wren')
  W.wait(child, "vim.fn.join(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('wren said')")
  W.answer(child, { ['Name of'] = 'try' })
  W.fork(child)
  W.eq(child.lua_get('asked[1].items[1]'), 'Fork what this terminal shows into a new wren')
  W.has(child.lua_get('asked[#asked].items'), 'A new wren, with what the terminal showed as a draft in its prompt')
  W.eq(child.fn.getcwd(), w.top .. '/app-worktrees/try')
  W.wait(child, "file('given'):find('\\27%[201~')")
  W.has(W.read(w.home .. '/given'), 'wren said |%s hello')
  W.eq(W.read(w.home .. '/given'):find('\r'), nil) -- nothing was sent
end

T['a terminal in which only a shell waits has no text to fork'] = function()
  local w = W.new()
  local child = W.neovim(w)
  child.cmd('terminal')
  W.answer(child, { ['Name of'] = false })
  child.cmd('Sidefork fork')
  W.wait(child, '#asked > 0')
  W.has(child.lua_get('asked[1].prompt'), 'Name of')
end

local function fake(w, note)
  local workspace =
    { path = w.repo, branch = 'try', name = 'app', depth = 0, agentsLive = 0, fork = { allowed = true } }
  local launch = { argv = { w.top .. '/bin/wren' }, cwd = w.repo }
  local result = {
    status = 'completed',
    workspace = workspace,
    launch = launch,
    warnings = {},
    draft = note.draft == nil and 'one\ntwo \27[201~' or nil,
  }
  note = vim.tbl_extend('force', { operationId = 'same', workspace = w.repo }, note)
  return W.sidecar(w, { ['sidefork.fork'] = result }, {
    notes = { ['sidefork.fork'] = { { method = 'sidefork/started', params = note } } },
  })
end

T['a draft that sidefork could not type is pasted once the person says so, as one paste without an Enter'] = function()
  for _, note in ipairs({
    {},
    { draft = 'one\ntwo \27[201~', warning = { code = 'draftNotTyped', message = 'Not typed.' } },
  }) do
    local w = W.new()
    W.write(w.top .. '/bin/wren', wren, '755')
    local child = W.neovim(w, { cmd = fake(w, note) })
    -- The person answers once the agent can be seen to be up.
    child.lua([[
      local select = vim.ui.select
      vim.ui.select = function(items, opts, chosen)
        local timer = vim.uv.new_timer()
        timer:start(0, 5, vim.schedule_wrap(function()
          if not timer:is_closing() and vim.iter(vim.api.nvim_list_bufs()):any(function(b)
            return vim.fn.join(vim.api.nvim_buf_get_lines(b, 0, -1, false)):find('wren said')
          end) then
            timer:close()
            select(items, opts, chosen)
          end
        end))
      end
      require('sidefork').fork({ argument = { name = 'try' } })]])
    W.wait(child, "file('given'):find('\\27%[201~')")
    W.eq(W.read(w.home .. '/given'), '\27[200~one\ntwo [201~\27[201~')
    W.has(child.lua_get('asked'), 'sidefork.draft')
    if note.warning then
      W.has(W.told(child), 'Not typed.')
    end
    child.stop()
  end
end

return T
