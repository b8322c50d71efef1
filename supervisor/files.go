package supervisor

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// sessionFiles are what a session's claude is pointed at.
type sessionFiles struct {
	plugin  string // folder
	session string // the file that names socket and credential
}

// writeSessionFiles writes the plugin and the credential of a session into its
// folder beneath the state folder.
func (s *Supervisor) writeSessionFiles(peer router.PeerID, name, credential string) (sessionFiles, error) {
	dir := filepath.Join(s.cfg.StateDir, "sessions", string(peer))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return sessionFiles{}, fmt.Errorf("make the session's folder: %w", err)
	}
	f := sessionFiles{plugin: filepath.Join(dir, "plugin"), session: filepath.Join(dir, "session.json")}
	if err := wire.WriteSessionFile(f.session, wire.SessionFile{Socket: s.cfg.Socket, Credential: credential, Peer: name}); err != nil {
		return sessionFiles{}, err
	}
	if err := s.cfg.Plugin(f.plugin, s.cfg.Binary, f.session); err != nil {
		return sessionFiles{}, err
	}
	return f, wire.SetDenyRules(f.session, s.rules.denies())
}

// prompt is the text appended to the system prompt of a session.
func (s *Supervisor) prompt(name string) string {
	var others []string
	for _, p := range s.loop.look().Peers {
		if p.Class == wire.ClassSession && p.Name != name {
			others = append(others, p.Name)
		}
	}
	return s.cfg.Prompt(name, others...)
}

// newSecret is 32 random bytes in hex.
func newSecret() (string, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("make a credential: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// newConversation is an id claude has not seen.
func newConversation() string { return uuid.NewString() }
