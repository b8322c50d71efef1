package supervisor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// toolFunc runs one tool for the connection's peer.
type toolFunc func(*conn, json.RawMessage) (wire.ToolResult, error)

// toolFuncs are the tools of the protocol that give no mail; see pullFuncs.
var toolFuncs = map[string]toolFunc{
	wire.ToolSendToPeer:        (*conn).sendToPeer,
	wire.ToolSendToPeers:       (*conn).sendToPeers,
	wire.ToolSendToRoom:        (*conn).sendToRoom,
	wire.ToolRespondToPeer:     (*conn).respondToPeer,
	wire.ToolCreateRoom:        (*conn).createRoom,
	wire.ToolJoinRoom:          (*conn).joinRoom,
	wire.ToolLeaveRoom:         (*conn).leaveRoom,
	wire.ToolListRooms:         (*conn).listRooms,
	wire.ToolListPeers:         (*conn).listPeers,
	wire.ToolWhoami:            (*conn).whoami,
	wire.ToolRegister:          (*conn).registerName,
	wire.ToolRespondPermission: (*conn).respondPermission,
	wire.ToolAck:               (*conn).ack,
	wire.ToolArchive:           (*conn).archive,
	wire.ToolHistory:           (*conn).history,
}

func (c *conn) sendToPeer(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.SendToPeerArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	return c.send(router.Send{To: []string{a.To}}, a.MessageArgs)
}

func (c *conn) sendToPeers(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.SendToPeersArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	if len(a.To) == 0 {
		return wire.ToolResult{}, fmt.Errorf(`name at least one peer in "to", or "*" for all`)
	}
	if len(a.To) > wire.MaxTargets {
		return wire.ToolResult{}, fmt.Errorf("%d recipients; the limit is %d", len(a.To), wire.MaxTargets)
	}
	return c.send(router.Send{To: a.To}, a.MessageArgs)
}

func (c *conn) sendToRoom(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.SendToRoomArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	room := wire.RoomName(a.Room)
	switch {
	case room == "" && c.role == wire.RoleHuman:
		return wire.ToolResult{}, fmt.Errorf("name the room after the #; ccmux rooms lists them")
	case room == "":
		return wire.ToolResult{}, fmt.Errorf(`name the room in "room"; list_rooms lists them`)
	}
	return c.send(router.Send{Room: room}, a.MessageArgs)
}

// send completes a message from its arguments and posts it as this peer.
func (c *conn) send(cmd router.Send, a wire.MessageArgs) (wire.ToolResult, error) {
	if a.AwaitReply < 0 || a.AwaitReply > wire.MaxAwait {
		return wire.ToolResult{}, fmt.Errorf("await_reply is %d; use 0 to %d seconds", a.AwaitReply, wire.MaxAwait)
	}
	if a.AwaitReply > 0 && a.Kind != wire.KindTask && (a.ExpectsReply == nil || !*a.ExpectsReply) {
		return wire.ToolResult{}, errors.New("a note gets no reply to wait for: send a task, or leave await_reply (--wait) out")
	}
	if c.role == wire.RoleHuman {
		if err := cmp.Or(ofKind(a.TaskID, aThread), ofKind(a.ParentTaskID, aThread)); err != nil {
			return wire.ToolResult{}, err
		}
	}
	if a.ExpiresIn < 0 {
		return wire.ToolResult{}, fmt.Errorf("expires_in is %d; use seconds from now, or leave it out", a.ExpiresIn)
	}
	cmd.From = c.peer
	cmd.Kind, cmd.Content, cmd.Subject, cmd.Data = a.Kind, a.Content, a.Subject, a.Data
	cmd.TaskID, cmd.ParentTaskID = router.ThreadID(a.TaskID), router.ThreadID(a.ParentTaskID)
	cmd.WantsReply = a.ExpectsReply
	if a.ExpiresIn > 0 {
		cmd.ExpiresAt = time.Now().Add(time.Duration(a.ExpiresIn) * time.Second)
	}
	cmd, err := prepareSend(cmd)
	if err != nil {
		return wire.ToolResult{}, err
	}
	var out wire.ToolResult
	if a.AwaitReply == 0 {
		_, err := c.s.loop.submitThen(c.ctx, cmd, c.postedAs(&out))
		return out, err
	}
	replies, cancel := c.s.posts.repliesTo(cmd.ID)
	kept := context.AfterFunc(c.ctx, cancel) // the wait may never begin
	if _, err := c.s.loop.submitThen(c.ctx, cmd, c.postedAs(&out)); err != nil {
		kept()
		cancel()
		return wire.ToolResult{}, err
	}
	return wire.ToolResult{}, awaiting{func(p *pull) wire.ToolResult {
		defer cancel()
		defer kept()
		return c.awaitReplies(p, out, replies, time.Duration(a.AwaitReply)*time.Second)
	}}
}

func (c *conn) respondToPeer(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.RespondArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	thread, message, err := c.answers(a.TaskID, a.InReplyTo)
	if err != nil {
		return wire.ToolResult{}, err
	}
	cmd, err := prepareRespond(router.Respond{
		From: c.peer, TaskID: thread, Content: a.Content, Status: a.Status, Data: a.Data, InReplyTo: message,
	})
	if err != nil {
		return wire.ToolResult{}, err
	}
	var out wire.ToolResult
	_, err = c.s.loop.submitThen(c.ctx, cmd, c.postedAs(&out))
	return out, err
}

func (c *conn) createRoom(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.CreateRoomArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	return c.roomCommand(router.CreateRoom{From: c.peer, Room: wire.RoomName(a.Name), Members: a.Members})
}

func (c *conn) joinRoom(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.RoomArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	return c.roomCommand(router.JoinRoom{Peer: c.peer, Room: wire.RoomName(a.Room)})
}

func (c *conn) leaveRoom(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.RoomArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	return c.roomCommand(router.LeaveRoom{Peer: c.peer, Room: wire.RoomName(a.Room)})
}

func (c *conn) roomCommand(cmd router.Command) (wire.ToolResult, error) {
	res, err := c.s.loop.submit(c.ctx, cmd)
	if err != nil {
		return wire.ToolResult{}, err
	}
	return roomResult(c.s.loop.look(), res), nil
}

func (c *conn) listRooms(json.RawMessage) (wire.ToolResult, error) {
	return roomList(c.s.loop.look(), c.peer), nil
}

func (c *conn) listPeers(json.RawMessage) (wire.ToolResult, error) {
	return peerList(c.s.loop.look(), c.peer), nil
}

func (c *conn) whoami(json.RawMessage) (wire.ToolResult, error) {
	return identity(c.s.loop.look(), c.peer, c.s.cfg.Project.Root), nil
}

func (c *conn) registerName(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.RegisterArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	if c.peer == router.Human {
		return wire.ToolResult{}, fmt.Errorf("you are %q; that name cannot change", wire.You)
	}
	var taken []string
	if f := c.s.TeamFile(); f != nil {
		for _, s := range f.Sessions {
			taken = append(taken, s.Name)
		}
	}
	if _, err := c.s.loop.submit(c.ctx, router.Rename{Peer: c.peer, Name: a.Name, Taken: taken}); err != nil {
		return wire.ToolResult{}, err
	}
	c.s.sessions.renamed(c.peer, a.Name)
	return identity(c.s.loop.look(), c.peer, c.s.cfg.Project.Root), nil
}

// respondPermission is a peer approver's answer: the router accepts it only from
// the peer that the trusted configuration names for that session.
func (c *conn) respondPermission(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.RespondPermissionArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	if a.Behavior != wire.Allow && a.Behavior != wire.Deny {
		return wire.ToolResult{}, fmt.Errorf("behavior is %q: use allow or deny", wire.CleanLine(string(a.Behavior), 32))
	}
	v := c.s.loop.look()
	asker, ok := v.Named(a.Peer)
	if !ok {
		return wire.ToolResult{}, unknownPeer(v, a.Peer)
	}
	p, open := openFor(v, a.RequestID, asker.ID)
	if !open {
		return wire.ToolResult{}, fmt.Errorf("%s has no open request %q", asker.Name, wire.CleanLine(a.RequestID, 32))
	}
	if err := c.peerAnswer(p, a); err != nil {
		return wire.ToolResult{}, err
	}
	return wire.ToolResult{Text: fmt.Sprintf("%s: %s for %s", a.RequestID, a.Behavior, asker.Name)}, nil
}

func openFor(v *router.View, id string, peer router.PeerID) (router.PermissionView, bool) {
	for _, p := range v.Permissions {
		if p.ID == id && p.Peer == peer {
			return p, true
		}
	}
	return router.PermissionView{}, false
}

func (c *conn) ack(raw json.RawMessage) (wire.ToolResult, error) {
	return c.mark(raw, "read", func(ids []router.MessageID) router.Command {
		return router.Read{Peer: c.peer, Messages: ids, Proof: c.proof()}
	})
}

func (c *conn) archive(raw json.RawMessage) (wire.ToolResult, error) {
	return c.mark(raw, "archived", func(ids []router.MessageID) router.Command {
		return router.Archive{Peer: c.peer, Messages: ids}
	})
}

func (c *conn) mark(raw json.RawMessage, word string, command func([]router.MessageID) router.Command) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.MessageIDs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	if len(a.IDs) == 0 {
		return wire.ToolResult{}, fmt.Errorf("name at least one message in message_ids")
	}
	ids := make([]router.MessageID, len(a.IDs))
	for i, text := range a.IDs {
		if ids[i], err = c.messageID(text); err != nil {
			return wire.ToolResult{}, err
		}
	}
	if _, err := c.s.loop.submit(c.ctx, command(ids)); err != nil {
		return wire.ToolResult{}, err
	}
	return wire.ToolResult{Text: fmt.Sprintf("%s: %d", word, len(ids))}, nil
}

// proof says how mail that this peer asks for is known to be seen.
func (c *conn) proof() string {
	if c.peer == router.Human {
		return "screen"
	}
	return "tool"
}
