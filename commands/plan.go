package commands

import (
	"context"
	"encoding/json"
)

func plan(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	return nil, refuse("notYet", "field", "plan")
}
