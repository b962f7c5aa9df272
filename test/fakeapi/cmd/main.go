// Command cmd runs a fake model API by hand, for trying a real agent against it:
//
//	go run ./test/fakeapi/cmd -api anthropic|openai [-address 127.0.0.1:0] [-log FILE]
//
// It prints its URL and, unless -log names a file, every request as a JSON line.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/sidefork/sidefork/test/fakeapi"
)

func main() {
	api := flag.String("api", "anthropic", "which API: anthropic or openai")
	address := flag.String("address", "127.0.0.1:0", "the loopback address to listen on")
	file := flag.String("log", "", "the file that gets the requests (default: standard output)")
	flag.Parse()
	if err := serve(*api, *address, *file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(api, address, file string) error {
	apis := map[string]fakeapi.API{"anthropic": fakeapi.Anthropic, "openai": fakeapi.OpenAI}
	if apis[api] == nil {
		return fmt.Errorf("fakeapi: there is no API %q", api)
	}
	var log io.Writer = os.Stdout
	if file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("fakeapi: %w", err)
		}
		defer func() { _ = f.Close() }()
		log = f
	}
	server, err := fakeapi.Listen(address, apis[api], log)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(os.Stderr, "listening on", server.URL)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	return nil
}
