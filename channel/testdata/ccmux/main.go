// Command ccmux is the channel and hook commands alone, for measuring them.
package main

import (
	"os"

	"github.com/ccmux/ccmux/channel"
)

func main() { os.Exit(channel.Main(os.Args[1:], "test")) }
