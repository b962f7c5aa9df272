package commands

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const sampleID = "6f2c1c1e-0c7a-4f7e-9a50-0a3a1a9d7c11"

// everyField is a fork argument that names each field of the contract with its default, or a value that is served.
const everyField = `{"operationId":"` + sampleID + `","workspace":"/w","name":"n","dir":"/d","session":{"agent":"claude","id":"x"},
 "child":true,"carry":true,"onCarryFailure":"rollback","staged":"keep","include":[],"base":{"kind":"parentCommit"},
 "setup":{"decision":"skip"},"prompt":"p","at":"","launch":"client","copies":1,"worktree":"new","onDisconnect":"rollback","transcript":null}`

func TestForkArgumentKnowsEveryFieldOfTheContract(t *testing.T) {
	p, err := decodeFork(json.RawMessage(everyField), &Env{})
	if err != nil {
		t.Fatal(err)
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal([]byte(everyField), &named); err != nil {
		t.Fatal(err)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(p)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, ok := named[name]; !ok {
			t.Errorf("the contract has no field %q", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("ForkParams lacks %q", name)
	}
}

func TestForkArgumentHasTheDefaultsOfTheContract(t *testing.T) {
	p, err := decodeFork(json.RawMessage(`{"workspace":"/w","name":"n"}`), &Env{})
	if err != nil {
		t.Fatal(err)
	}
	if checkOperationID(p.OperationID) != nil {
		t.Errorf("operationId %q", p.OperationID)
	}
	p.OperationID = ""
	want := ForkParams{
		Workspace: "/w", Name: "n", OnCarryFailure: "rollback", Staged: "keep", Launch: "client", OnDisconnect: "rollback",
		Copies: 1, Base: &Base{Kind: "parentCommit"}, Worktree: &Where{Kind: "new"},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v", p)
	}
}

// TestWrongForkArgumentIsRefusedByName changes one field at a time.
func TestWrongForkArgumentIsRefusedByName(t *testing.T) {
	for _, c := range []struct{ with, code, says string }{
		{`"nmae":"x"`, "invalidArgument", "nmae"},
		{`"session":{"agent":"claude","id":"x","title":"t"}`, "invalidArgument", "title"},
		{`"session":{"agent":"claude"}`, "invalidArgument", "session.id"},
		{`"name":""`, "invalidArgument", "name"},
		{`"name":7`, "invalidArgument", "name"},
		{`"workspace":""`, "invalidArgument", "workspace"},
		{`"workspace":"relative/path"`, "invalidArgument", "workspace"},
		{`"dir":"relative"`, "invalidArgument", "dir"},
		{`"operationId":"../x"`, "invalidArgument", "operationId"},
		{`"staged":"maybe"`, "invalidArgument", "staged"},
		{`"launch":"later"`, "invalidArgument", "launch"},
		{`"copies":17`, "invalidArgument", "copies"},
		{`"copies":-1`, "invalidArgument", "copies"},
		{`"base":{"kind":"ref"}`, "invalidArgument", "base.ref"},
		{`"base":{"kind":"parentCommit","ref":"x"}`, "invalidArgument", "base.ref"},
		{`"base":{"kind":"nowhere"}`, "invalidArgument", "base.kind"},
		{`"setup":{"decision":"perhaps"}`, "invalidArgument", "setup.decision"},
		{`"worktree":"old"`, "invalidArgument", "worktree"},
		{`"worktree":{"existing":"/x","more":1}`, "invalidArgument", "more"},
		{`"onDisconnect":"x"`, "invalidArgument", "onDisconnect"},
		{`"onCarryFailure":"x"`, "invalidArgument", "onCarryFailure"},
		{`"include":["*.env",""]`, "invalidArgument", "include"},
		{`"include":["a\nb"]`, "invalidArgument", "include"},
		{`"include":["*.env"],"carry":false`, "invalidArgument", "include"},
		{`"setup":{"decision":"skip","hash":"h"}`, "invalidArgument", "setup.hash"},
		{`"at":"m"`, "invalidArgument", "at"},
		{`"worktree":"same"`, "invalidArgument", "a fork without a session"},
		{`"worktree":{"existing":""}`, "invalidArgument", "worktree.existing is missing"},
		{`"worktree":{"existing":"x"}`, "invalidArgument", "not an absolute path"},
		{`"worktree":{"existing":"/x"},"onCarryFailure":"keep"`, "invalidArgument", "onCarryFailure keep has no place"},
		{`"worktree":{"existing":"/x"},"dir":"/d"`, "invalidArgument", "dir has no place"},
		{`"worktree":{"existing":"/x"},"child":true`, "invalidArgument", "child has no place"},
		{`"worktree":{"existing":"/x"},"base":{"kind":"repositoryDefault"}`, "invalidArgument", "base has no place"},
		{`"worktree":{"existing":"/x"},"setup":{"decision":"run"}`, "invalidArgument", "setup.decision run has no place"},
		{`"worktree":"same","session":{"agent":"claude","id":"x"},"carry":true`, "invalidArgument", "carry has no place"},
		{`"worktree":"same","session":{"agent":"claude","id":"x"},"include":["x"]`, "invalidArgument", "include has no place"},
		{`"transcript":{"agent":"gemini","text":" \n"}`, "invalidArgument", "transcript.text"},
		{`"transcript":{"text":"t"}`, "invalidArgument", "transcript.agent"},
		{`"session":{"agent":"claude","id":"x"},"transcript":{"agent":"gemini","text":"t"}`, "invalidArgument", "exclude"},
	} {
		base := `{"workspace":"/w","name":"n",`
		_, err := decodeFork(json.RawMessage(base+c.with+"}"), &Env{})
		f, ok := err.(*Failure)
		if !ok {
			t.Errorf("%s: %v", c.with, err)
			continue
		}
		if f.Reason.Code != c.code || !strings.Contains(f.Reason.Message, c.says) || f.Effect != Nothing || f.Reason.Remedy == "" {
			t.Errorf("%s: %+v", c.with, f)
		}
	}
}

func TestEmptyLuaTableIsReadAsAnObject(t *testing.T) {
	for _, in := range []string{``, `[]`, ` [] `, `null`, `{}`} {
		var p WorkspacesParams
		if err := decode(json.RawMessage(in), &p); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
	for _, in := range []string{`[1]`, `{} {}`, `7`, `{"folders":`} {
		var p WorkspacesParams
		if err := decode(json.RawMessage(in), &p); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}

func TestLuaNumberIsReadAsAWholeNumber(t *testing.T) {
	p, err := decodeFork(json.RawMessage(`{"workspace":"/w 1.0","name":"n1.0","copies":1.0}`), &Env{})
	if err != nil || p.Copies != 1 || p.Workspace != "/w 1.0" || p.Name != "n1.0" {
		t.Errorf("%+v, %v", p, err)
	}
}
