package claude

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestTrustIsThatOfTheMainCheckout(t *testing.T) {
	const accepted, refused = `{"hasTrustDialogAccepted":true}`, `{"hasTrustDialogAccepted":false}`
	for name, test := range map[string]struct {
		settings string
		where    agent.Repository
		want     agent.Trust
	}{
		"the main checkout is trusted": {`{"projects":{"/src/app":` + accepted + `}}`, agent.Repository{Path: "/src/app", Parent: "/src/wt"}, agent.Inherited},
		"so is a bare repository":      {`{"projects":{"/src/app/.bare":` + accepted + `}}`, agent.Repository{Path: "/src/app/.bare", Bare: true, Parent: "/src/app/main"}, agent.Inherited},
		"the parent's own folder is":   {`{"projects":{"/src/wt":` + accepted + `,"/src":` + accepted + `}}`, agent.Repository{Path: "/src/app", Parent: "/src/wt"}, agent.Asks},
		"the child's own folder is":    {`{"projects":{"/src/child":` + accepted + `}}`, agent.Repository{Path: "/src/app", Parent: "/src/wt"}, agent.Inherited},
		"it was refused":               {`{"projects":{"/src/app":` + refused + `}}`, agent.Repository{Path: "/src/app"}, agent.Asks},
		"another path of it":           {`{"projects":{"/src/app/":` + accepted + `}}`, agent.Repository{Path: "/src/app"}, agent.Asks},
		"nothing is known of it":       {`{}`, agent.Repository{Path: "/src/app"}, agent.Asks},
		"no settings":                  {"", agent.Repository{Path: "/src/app"}, ""},
		"settings that cannot be read": {`{"projects":`, agent.Repository{Path: "/src/app"}, ""},
		"settings of another shape":    {`{"projects":[]}`, agent.Repository{Path: "/src/app"}, ""},
		"a repository without a main":  {`{"projects":{"":` + accepted + `}}`, agent.Repository{Parent: "/src/wt"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			user := t.TempDir()
			home := filepath.Join(user, ".claude")
			for _, isDefault := range []bool{true, false} {
				file := filepath.Join(user, ".claude.json")
				if !isDefault {
					file = filepath.Join(home, ".claude.json")
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if test.settings != "" {
					if err := os.WriteFile(file, []byte(test.settings), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				r := agent.ForkRequest{Parent: agent.Session{Home: home, DefaultHome: isDefault}, Child: "/src/child", Where: test.where}
				if got := trust(r); got != test.want {
					t.Errorf("default %v: %q", isDefault, got)
				}
				os.Remove(file)
			}
		})
	}
}
