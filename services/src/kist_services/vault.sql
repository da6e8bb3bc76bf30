-- The vault of cardsecure and redeem on a PostgreSQL server. Two roles that may log in are there before it: kist_cardsecure and kist_redeem.
BEGIN;

CREATE TABLE payments (
    transaction_id bytea PRIMARY KEY,
    token text NOT NULL UNIQUE,
    envelope bytea NOT NULL,
    until timestamptz NOT NULL,
    -- when its number was given out
    redeemed timestamptz
);
CREATE INDEX payments_by_time ON payments (until);
GRANT SELECT, INSERT, DELETE ON payments TO kist_cardsecure;
-- SKIP LOCKED takes locks, as an update does.
GRANT UPDATE (redeemed) ON payments TO kist_cardsecure, kist_redeem;
GRANT SELECT ON payments TO kist_redeem;

-- One row, which /ready writes: a server that cannot is not ready.
CREATE TABLE touched (at timestamptz NOT NULL);
INSERT INTO touched VALUES (now());
GRANT SELECT, UPDATE ON touched TO kist_cardsecure, kist_redeem;

COMMIT;
