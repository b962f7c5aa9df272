package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/carry"
)

// RecoverParams name a folder of the repository to look at; without one, those of the client's workspace folders.
type RecoverParams struct {
	Repository string `json:"repository,omitempty"`
}

// RecoverResult names what was taken back, and what was left because it holds something of its own.
type RecoverResult struct {
	Recovered []Recovered `json:"recovered"`
}

// Recovered is what became of one operation whose sidecar was killed.
type Recovered struct {
	OperationID string   `json:"operationId"`
	Action      string   `json:"action"` // rolledBack, finished (a removal), kept, failed (to be tried again)
	Workspace   string   `json:"workspace"`
	Paths       []string `json:"paths,omitempty"` // of kept: what it holds; of failed: what stands
	Detail      string   `json:"detail,omitempty"`
}

func recoverOperations(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p RecoverParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	folders := env.Folders
	if p.Repository != "" {
		folders = []string{p.Repository}
	}
	result := RecoverResult{Recovered: []Recovered{}}
	seen := map[string]bool{}
	for _, folder := range folders {
		if err := absolute("repository", folder); err != nil {
			return nil, err
		}
		at, err := open(ctx, folder)
		if err != nil {
			return nil, err
		}
		if seen[at.CommonDir] {
			continue
		}
		seen[at.CommonDir] = true
		recovered, err := carry.Recover(ctx, at.CommonDir)
		for _, r := range recovered {
			one := Recovered{OperationID: r.Operation, Action: r.Action, Workspace: r.Workspace, Paths: r.Paths}
			if r.Err != nil {
				one.Detail = r.Err.Error()
			}
			result.Recovered = append(result.Recovered, one)
		}
		if err != nil { // of a journal that cannot be read or believed
			result.Recovered = append(result.Recovered, Recovered{Action: "failed", Detail: err.Error()})
		}
	}
	return result, nil
}
