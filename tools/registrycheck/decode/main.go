// Command decode reads lists of servers from standard input with the types of the official
// registry, which its clients in Go use, and writes what they hold.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	apiv0 "github.com/modelcontextprotocol/registry/pkg/api/v0"
)

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var list apiv0.ServerListResponse
		err := in.Decode(&list)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = out.Encode(list)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
