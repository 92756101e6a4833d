//go:build !unix

package read

import (
	"os/exec"
	"time"
)

// confine sets no limits: the pool ends a child that takes too long.
func confine(limits) error { return nil }

func allow(time.Duration) error { return nil }

func separate(*exec.Cmd, bool) {}

func kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}
