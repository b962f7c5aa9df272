package commands

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sidefork/sidefork/carry"
)

// OutcomeParams name a fork or a carry whose answer never came. Repository is a folder of the repository it was in;
// without one, the client's workspace folders are asked.
type OutcomeParams struct {
	OperationID string `json:"operationId"`
	Repository  string `json:"repository,omitempty"`
	// Settle makes sure that what is unknown stays so: it will not begin any more, should its request still be on its way.
	Settle bool `json:"settle,omitempty"`
}

// OutcomeResult is what became of it, with the answer that did not arrive where that is known: a result of a completed
// one, an error's data of one that was rolled back. An operation that ended more than a week ago is unknown.
type OutcomeResult struct {
	State  string          `json:"state"` // running, completed, rolledBack, failed, unknownOperation
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
	Stands *Stands         `json:"stands,omitempty"` // of a failed one, as far as its journal says
	// Settled: it has not begun in Repository and will not, since that was asked for.
	Settled bool `json:"settled,omitempty"`
}

// Stands is what a fork or carry that failed has left: the child with its branch, or the target of a carry.
type Stands struct {
	Workspace string `json:"workspace"`
	Branch    string `json:"branch,omitempty"`
}

const unknownOperation = "unknownOperation"

// outcome answers from the journals. What a killed sidecar left is taken back first, so that the answer is a last one.
func outcome(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p OutcomeParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if err := required("operationId", p.OperationID); err != nil {
		return nil, err
	}
	if p.Settle {
		if err := required("repository", p.Repository); err != nil {
			return nil, err
		}
	}
	folders := env.Folders
	if p.Repository != "" {
		folders = []string{p.Repository}
	}
	for _, folder := range folders {
		if err := absolute("repository", folder); err != nil {
			return nil, err
		}
		at, err := open(ctx, folder)
		if err != nil && p.Repository != "" {
			return nil, err
		}
		if err != nil {
			continue // of the client's own folders, one that is no repository is no error
		}
		recoverEarlier(ctx, env, at.CommonDir)
		state, settled := carry.Outcome(at.CommonDir, p.OperationID), false
		if state == unknownOperation && p.Settle {
			if settled, err = carry.Settle(at, p.OperationID); err != nil {
				return nil, err
			}
			state = carry.Outcome(at.CommonDir, p.OperationID) // where it has begun meanwhile
		}
		if settled {
			return OutcomeResult{State: unknownOperation, Settled: true}, nil
		}
		if state != unknownOperation {
			r := remembered(state, carry.Answer(at.CommonDir, p.OperationID))
			if folder, branch := carry.Stands(at.CommonDir, p.OperationID); state == "failed" && folder != "" {
				r.Stands = &Stands{Workspace: folder, Branch: Printable(branch)}
			}
			return r, nil
		}
	}
	return OutcomeResult{State: unknownOperation}, nil
}

// answer is what is remembered of how a command ended.
type answer struct {
	Result any      `json:"result,omitempty"`
	Error  *Failure `json:"error,omitempty"`
}

// remember keeps the answer with the operation, for a client that it does not reach. One that was cancelled, as all are when
// their client goes, was interrupted, and no mistake of ours.
func remember(ctx context.Context, of interface{ Remember(answer []byte) }, result any, err error) {
	a := answer{Result: result}
	if err != nil {
		a = answer{Error: failureOf(err)}
		if _, hung := errors.AsType[*Failure](context.Cause(ctx)); ctx.Err() != nil && !hung && (a.Error.Effect == Nothing || a.Error.Effect == RolledBack) {
			a.Error = &Failure{Reason: reason("interrupted", nil), Effect: a.Error.Effect}
		}
	}
	if text, err := json.Marshal(a); err == nil {
		of.Remember(text)
	}
}

// remembered is the answer that was kept, if any. It lies in a git folder: anybody may have written it.
func remembered(state string, text []byte) OutcomeResult {
	r := OutcomeResult{State: state}
	var kept struct{ Result, Error json.RawMessage }
	if json.Unmarshal(text, &kept) == nil {
		r.Result, r.Error = kept.Result, kept.Error
	}
	return r
}
