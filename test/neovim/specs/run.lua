-- nvim -l run.lua SPECS.lua : runs a file of specs by mini.test.
local file = arg[1]
package.path = vim.env.TEST_SPECS .. '/?.lua;' .. package.path
require('mini.test').setup()
MiniTest.run({
  collect = {
    find_files = function()
      return { file }
    end,
  },
  execute = { reporter = MiniTest.gen_reporter.stdout({ group_depth = 1 }) },
})
