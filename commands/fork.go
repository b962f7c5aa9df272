package commands

import (
	"context"
	"encoding/json"
)

func fork(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	return nil, refuse("notYet", "field", "fork")
}
