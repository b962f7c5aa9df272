package commands

import (
	"context"
	"encoding/json"
)

func carryChanges(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	return nil, refuse("notYet", "field", "carryChanges")
}
