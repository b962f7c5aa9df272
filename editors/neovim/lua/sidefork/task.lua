--- What a person is asked step by step, written as one function from top to bottom.
local M = {}

---@param thread thread
local function resume(thread)
  local ok, err = coroutine.resume(thread)
  if not ok then
    vim.notify(debug.traceback(thread, 'sidefork: ' .. tostring(err)), vim.log.levels.ERROR)
  end
end

--- Run a function in which M.await can be used. It has begun, and may go on, when this returns.
---@param body fun()
function M.run(body)
  resume(coroutine.create(body))
end

--- Wait for a function that answers by calling back. The first answer counts: some pickers give two.
---@param start fun(answer: fun(...))
---@return any ...
function M.await(start)
  local thread = assert(coroutine.running(), 'sidefork: await outside of a task')
  local values, waiting
  start(function(...)
    if values then
      return
    end
    values = { n = select('#', ...), ... }
    if waiting then
      -- A picker that has just answered is still closing, and an answer may come where nothing may be drawn.
      vim.schedule(function()
        resume(thread)
      end)
    end
  end)
  if not values then
    waiting = true
    coroutine.yield()
  end
  return unpack(values, 1, values.n)
end

--- Like vim.ui.select, as the value that was chosen; nil for none.
---@generic T
---@param items T[]
---@param opts { prompt: string, kind?: string, format_item?: fun(item: T): string }
---@return T?
function M.select(items, opts)
  return (M.await(function(answer)
    vim.ui.select(items, opts, answer)
  end))
end

--- Like vim.ui.input, as the text that was typed; nil where it was left.
---@param opts { prompt: string, default?: string, completion?: string }
---@return string?
function M.input(opts)
  return (M.await(function(answer)
    vim.ui.input(opts, answer)
  end))
end

return M
