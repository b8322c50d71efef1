package main

import (
	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func roomCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "rooms",
		Aliases: []string{"room"},
		Short:   "List rooms; make, join and leave them as you",
		Long:    "Rooms are where several sessions and you read the same. Only members post.",
		Example: "  ccmux rooms\n  ccmux rooms join ui\n  ccmux rooms create release frontend backend",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return callTool(c, wire.ToolListRooms, struct{}{}, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(&cobra.Command{
		Use: "create ROOM [SESSION]...", Short: "Make a room with these members and you",
		Example: "  ccmux rooms create release frontend backend", Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return callTool(c, wire.ToolCreateRoom, wire.CreateRoomArgs{Name: a[0], Members: a[1:]}, false)
		},
	}, &cobra.Command{
		Use: "join ROOM", Short: "Join a room, or make it",
		Example: "  ccmux rooms join ui", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return callTool(c, wire.ToolJoinRoom, wire.RoomArgs{Room: a[0]}, false)
		},
	}, &cobra.Command{
		Use: "leave ROOM", Short: "Leave a room; the last one to leave archives it",
		Example: "  ccmux rooms leave ui", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return callTool(c, wire.ToolLeaveRoom, wire.RoomArgs{Room: a[0]}, false)
		},
	})
	return c
}
