package account

// BelieveAll has a service take the whole balance ahead without telling the books. It is the naive variant that a test must refute.
func (s *Service) BelieveAll() { s.reservations.advances.naive = true }

// Purses counts the advances from which requests may get characters.
func (s *Service) Purses() (n int) {
	s.advances.each("", func(p *pool) { n += len(p.current) })
	return n
}

// Waiting counts the operations that wait for a posting.
func (s *Service) Waiting() (n int) {
	for _, l := range s.lanes {
		l.mu.Lock()
		n += len(l.waiting)
		l.mu.Unlock()
	}
	return n
}
