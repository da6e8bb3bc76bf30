import Format
import Host

/// What a database administrator gives to psql before the first claim; harmless if it is run again.
enum PostgreSQLSchema {
  static let text = #"""
    -- The claims of a fleet of Kist (proto/FLEET.md §4). Run it as a superuser, in a database of its own:
    --   createdb kist && kist-claimd --print-schema | psql --set=ON_ERROR_STOP=1 kist
    -- It makes two roles that can log in, but gives them no password and no certificate:
    --   kist_owner     makes partitions ahead and drops old ones (kist-claimd --make-partitions)
    --   kist_claimd    claims: it may insert rows and read them, and nothing else
    BEGIN;

    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kist_owner') THEN CREATE ROLE kist_owner LOGIN CONNECTION LIMIT 8; END IF;
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'kist_claimd') THEN CREATE ROLE kist_claimd LOGIN CONNECTION LIMIT 64; END IF;
    END $$;

    CREATE SCHEMA IF NOT EXISTS kist AUTHORIZATION kist_owner;
    REVOKE ALL ON SCHEMA kist FROM PUBLIC;
    GRANT USAGE ON SCHEMA kist TO kist_claimd;
    SET LOCAL ROLE kist_owner;

    -- One row for each claim, and markers, which mean nothing. The day is the claim's own, not that of its insertion.
    CREATE TABLE IF NOT EXISTS kist.claim (
      day   integer     NOT NULL,
      claim bytea       NOT NULL CHECK (octet_length(claim) = 32),
      host  text        NOT NULL CHECK (host ~ '^[a-z0-9-]{1,32}$'),
      retry bytea       NOT NULL CHECK (octet_length(retry) = 32),
      id    bytea       NOT NULL CHECK (octet_length(id) = 16),
      run   bigint      NOT NULL,
      at    timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (day, claim)
    ) PARTITION BY RANGE (day);
    CREATE INDEX IF NOT EXISTS claim_at ON kist.claim USING brin (at) WITH (autosummarize = on);

    REVOKE ALL ON kist.claim FROM PUBLIC, kist_claimd;
    GRANT SELECT ON kist.claim TO kist_claimd;
    -- Without the time, which is the store's to say.
    GRANT INSERT (day, claim, host, retry, id, run) ON kist.claim TO kist_claimd;

    -- The key under which all hosts claim, by the SHA-256 of its check value [FLEET-CLAIM-9]: the last row, from its time on.
    CREATE TABLE IF NOT EXISTS kist.fleet_key (
      number integer     PRIMARY KEY,
      key    bytea       NOT NULL CHECK (octet_length(key) = 32),
      since  timestamptz NOT NULL
    );
    REVOKE ALL ON kist.fleet_key FROM PUBLIC, kist_claimd;

    -- Refuses whoever claims under another key; the first to claim says which it is.
    CREATE OR REPLACE FUNCTION kist.use_key(asked bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE used kist.fleet_key;
    BEGIN
      -- Until this transaction's end nobody changes it.
      LOCK TABLE kist.fleet_key IN ROW SHARE MODE;
      SELECT * INTO used FROM kist.fleet_key ORDER BY number DESC LIMIT 1;
      IF NOT FOUND THEN
        INSERT INTO kist.fleet_key (number, key, since) VALUES (1, asked, '-infinity') ON CONFLICT (number) DO NOTHING;
        SELECT * INTO used FROM kist.fleet_key ORDER BY number DESC LIMIT 1;
      END IF;
      IF used.key <> asked THEN RAISE EXCEPTION 'this host claims under another key than the store has' USING ERRCODE = '23K01'; END IF;
      IF used.since > clock_timestamp() THEN RAISE EXCEPTION 'the key changes at %', used.since USING ERRCODE = '23K01'; END IF;
    END $$;
    REVOKE ALL ON FUNCTION kist.use_key FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION kist.use_key TO kist_claimd;

    -- From now on nobody claims, and after `pause`, in which every token that was opened becomes stale, whoever has the key with this check value.
    CREATE OR REPLACE FUNCTION kist.change_key(check_value text, pause interval) RETURNS timestamptz
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE begins timestamptz;
    BEGIN
      IF check_value !~ '^[0-9A-F]{10}$' THEN RAISE EXCEPTION 'change_key: no check value of a key of role fleet'; END IF;
      LOCK TABLE kist.fleet_key IN EXCLUSIVE MODE;
      INSERT INTO kist.fleet_key (number, key, since)
      SELECT coalesce(max(number), 0) + 1, sha256(decode(check_value, 'hex')), clock_timestamp() + pause FROM kist.fleet_key RETURNING since INTO begins;
      RETURN begins;
    END $$;
    REVOKE ALL ON FUNCTION kist.change_key FROM PUBLIC;

    -- Makes the partitions from `keep` days ago to `ahead` days from now that are not there, and drops older ones; returns how many it made and dropped.
    CREATE OR REPLACE FUNCTION kist.make_partitions(ahead integer, keep integer) RETURNS TABLE (made integer, dropped integer)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
    DECLARE
      today integer := floor(extract(epoch FROM clock_timestamp()) / 86400);
      old record;
    BEGIN
      IF ahead NOT BETWEEN 1 AND 90 OR keep NOT BETWEEN 2 AND 3650 THEN RAISE EXCEPTION 'make_partitions: 1 to 90 days ahead, and 2 to 3650 kept'; END IF;
      PERFORM pg_advisory_xact_lock(x'6b697374'::integer, 0);
      made := 0;
      dropped := 0;
      FOR day IN today - keep .. today + ahead LOOP
        IF to_regclass(format('kist.claim_%s', day)) IS NULL THEN
          -- Attached, and not made as a partition: claims wait for neither.
          EXECUTE format('CREATE TABLE kist.claim_%s (LIKE kist.claim INCLUDING ALL)', day);
          EXECUTE format('ALTER TABLE kist.claim ATTACH PARTITION kist.claim_%s FOR VALUES FROM (%s) TO (%s)', day, day, day + 1);
          made := made + 1;
        END IF;
      END LOOP;
      FOR old IN
        SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid
        WHERE inhparent = 'kist.claim'::regclass AND relname ~ '^claim_[0-9]+$' AND substr(relname, 7)::integer < today - keep
      LOOP
        -- For a moment it waits for all claims, and all claims for it: if it does not come to pass, another day will do.
        BEGIN
          EXECUTE format('DROP TABLE kist.%I', old.relname);
          dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN NULL;
        END;
      END LOOP;
      RETURN NEXT;
    END $$;
    REVOKE ALL ON FUNCTION kist.make_partitions FROM PUBLIC;

    SELECT * FROM kist.make_partitions(7, 35);
    COMMIT;

    """#
}

/// Makes and drops partitions, as the role that owns them.
enum Partitions {
  struct Change: Sendable, Hashable {
    let made, dropped: Int
  }

  /// - Parameters:
  ///   - ahead: how many days from today on have a partition afterwards.
  ///   - keep: how many days before today have one still.
  static func make(_ connection: StoreConnection, ahead: Int, keep: Int) throws(StoreFailure)
    -> Change
  {
    let deadline = Monitor.now + 30_000_000_000
    let session = try Session(
      connection.options(attempt: 0, application: "kist-claimd partitions"), until: deadline)
    let days = [ahead, keep].map { UInt32(clamping: $0).bigEndianBytes }
    let answers = try session.run(
      [.prepare(.partitions), .run(.partitions, days)], until: deadline)
    var row = Row(answers[1].rows.first ?? [])
    return Change(made: Int(try row.integer()), dropped: Int(try row.integer()))
  }
}
