/* How hosts that share a merchant's keys open one token once: proto/FLEET.md sections 1, 2 and 4, for spin to check.
 *
 * There is one token, so one claim. Callers ask hosts to open it, give up, come back and ask another host; hosts and the store's primary crash.
 * models/README.md says in words what F1 to F6 mean here, and what each mistake is that -D plants. */

#define CALLERS 3
#define HOSTS 2
#define TRIES 2 /* each caller asks once, and may come back once */
#ifndef ASKS
#define ASKS 4 /* all of them together */
#endif
#ifndef FAULTS
#define FAULTS 2
#endif

/* -DONLY_F1 and so on assert one invariant alone. */
#if defined(ONLY_F1) || defined(ONLY_F2) || defined(ONLY_F3) || defined(ONLY_F5) || defined(ONLY_F6)
#define ONLY_ONE
#endif
#if defined(ONLY_F1) || !defined(ONLY_ONE)
#define F1(holds) assert(holds) /* F1 */
#else
#define F1(holds) skip
#endif
#if defined(ONLY_F2) || !defined(ONLY_ONE)
#define F2(holds) assert(holds) /* F2 */
#else
#define F2(holds) skip
#endif
#if defined(ONLY_F3) || !defined(ONLY_ONE)
#define F3(holds) assert(holds) /* F3 */
#else
#define F3(holds) skip
#endif
#if defined(ONLY_F5) || !defined(ONLY_ONE)
#define F5(holds) assert(holds) /* F5 */
#else
#define F5(holds) skip
#endif
#if defined(ONLY_F6) || !defined(ONLY_ONE)
#define F6(holds) assert(holds) /* F6 */
#else
#define F6(holds) skip
#endif

/* What a caller asks for. Requests of one retry key differ in their bodies, or in who asks. */
#define PLAIN 0 /* without a retry key */
#define FIRST_BODY 1
#define OTHER_BODY 2
byte request[CALLERS];

/* The retry digest; 0 is none. */
#ifdef RETRY_WITHOUT_BODY
#define DIGEST(c) (request[c] != PLAIN)
#else
#define DIGEST(c) request[c]
#endif

/* Callers: how often each has asked, whom it asks now, and whether that host crashed meanwhile. */
byte attempts[CALLERS];
byte asks;
bit at[CALLERS];
bool in_flight[CALLERS];
bool cut_off[CALLERS];

/* Hosts: the guard is in memory, the record of an opening durable. A host that crashed is back at once, with the guard that its log says. */
mtype = { free, taken, complete };
mtype guard[HOSTS] = free;
byte guarded[HOSTS]; /* the retry digest that the complete guard knows */
bool recorded[HOSTS];
byte recorded_digest[HOSTS];
byte faults;

/* The store: the claim's row on the primary and on its standby, by day. */
typedef Row {
  byte holder; /* 0: no row */
  byte digest;
  byte asked /* for which request, which the store does not know */
}
Row primary[2];
Row standby[2];
bool window_over; /* by the store's clock */
bit today;        /* by the hosts'; the token is of day 0 */

/* One ask for each caller, on its way from its host to the store and back. */
mtype = { idle, sent, given_up, written, answered };
mtype ask[CALLERS] = idle;
bool granted[CALLERS]; /* what the table of FLEET-CLAIM-6 says to the row that was read */
bool owed[CALLERS];    /* the row is this request's, and its window was not over */
bit day[CALLERS];

/* What happened in the fleet, which nobody in it knows. */
byte opened; /* whose opening it was; 0: none yet */
bool opened_twice;
bool reported;
byte unclaimed; /* 1 + retry digest of an opening that host 0, which is local, has still to claim */

/* All openings of a request with a retry key are one; without one, each is another. */
#define OPENING(c) (request[c] + (request[c] == PLAIN) * (10 + TRIES * c + attempts[c]))

inline count(c) {
  if
  :: opened == 0 -> opened = OPENING(c)
  :: opened == OPENING(c)
  :: else ->
    opened_twice = true;
#ifdef CODES
    F6(false)
#else
#ifndef LOCAL
    F1(false)
#endif
#endif
  fi
}

#ifdef ONE_NAME
#define NAME(h) 1
#else
#define NAME(h) (1 + h)
#endif
#define SAME(row, c) (row.digest != 0 && row.digest == DIGEST(c))

/* The table of FLEET-CLAIM-6. */
#ifdef OTHER_REQUEST_OF_HOLDER
#define HOLDER_MAY(row, c) (row.holder == NAME(at[c]))
#else
#define HOLDER_MAY(row, c) (row.holder == NAME(at[c]) && (row.digest == 0 || SAME(row, c)))
#endif
#ifdef NO_DIGEST_IS_EQUAL
#define OTHER_MAY(row, c) (row.holder != NAME(at[c]) && row.digest == DIGEST(c))
#else
#define OTHER_MAY(row, c) (row.holder != NAME(at[c]) && row.holder != 0 && SAME(row, c))
#endif
#ifdef HOSTS_CLOCK
#define IN_TIME true /* the host's clock stands still */
#else
#define IN_TIME (!window_over)
#endif

/* A durable row lets this host open for this caller. */
#define DURABLE(row, c) (row.holder == NAME(at[c]) || (row.holder != 0 && SAME(row, c)))
#define CLAIMED(c) (DURABLE(standby[0], c) || DURABLE(standby[1], c))

#ifdef STRICT_F2
#define OWED(row, c) (!window_over)
#else
#define OWED(row, c) (!window_over && row.asked == request[c])
#endif

#define COPY(to, from) \
  to[0].holder = from[0].holder; \
  to[0].digest = from[0].digest; \
  to[0].asked = from[0].asked; \
  to[1].holder = from[1].holder; \
  to[1].digest = from[1].digest; \
  to[1].asked = from[1].asked

inline end_ask(c) {
  ask[c] = idle;
  granted[c] = false;
  owed[c] = false;
  day[c] = 0
}

/* The host waits no longer. What was sent may still come to the store. */
inline give_up(c) {
  if
  :: ask[c] == sent -> ask[c] = given_up
  :: ask[c] == written || ask[c] == answered -> end_ask(c)
  :: else
  fi
}

inline let_go(c) {
  if
  :: guard[at[c]] == taken && !repeating -> guard[at[c]] = free
  :: else
  fi
}

/* Callers that ask for the same begin in their order, and the first of all asks host 0: what else there is is the same under other names. */
#define MAY_ASK(c) \
  ask[c] == idle && asks < ASKS && attempts[c] < TRIES && (c == 0 || attempts[c] > 0 || request[c] != request[c - 1] || attempts[c - 1] > 0)

/* The host's own guard looks and enters at once, and the host asks the store. */
inline begin(c, h) {
  at[c] = h;
  attempts[c]++;
  asks++;
  if
  :: guard[h] == complete && !(DIGEST(c) != 0 && guarded[h] == DIGEST(c)) ->
    F2(request[c] == PLAIN || opened != request[c] || window_over) /* rejected */
  :: guard[h] == taken /* busy */
  :: guard[h] == free || (guard[h] == complete && DIGEST(c) != 0 && guarded[h] == DIGEST(c)) ->
    repeating = (guard[h] == complete);
#ifndef GUARD_IN_TWO_STEPS
    if
    :: repeating
    :: else -> guard[h] = taken
    fi;
#endif
#ifdef CLAIM_AFTER_USE
    F5(CLAIMED(c));
#endif
    in_flight[c] = true;
    ask[c] = sent;
#ifdef DAY_OF_CLAIMING
    day[c] = today
#endif
  fi
}

inline leave(c) {
  in_flight[c] = false;
  cut_off[c] = false;
  repeating = false;
  alone = false
}

proctype Caller(byte c) {
  bool repeating, alone;

end_again:
  if
  :: d_step { MAY_ASK(c) -> begin(c, 0) }
  :: d_step { MAY_ASK(c) && asks > 0 -> begin(c, 1) }
  fi;
  atomic {
    if
    :: !in_flight[c] -> goto end_again
    :: cut_off[c] -> give_up(c); leave(c); goto end_again
    :: in_flight[c] && !cut_off[c] && ask[c] == answered && !granted[c] ->
      /* Who repeats in time what opened the token is not refused. */
      F2(request[c] == PLAIN || opened != request[c] || !owed[c]);
      end_ask(c);
      let_go(c);
      leave(c);
      goto end_again /* rejected */
    :: in_flight[c] && !cut_off[c] && ask[c] == answered && granted[c] -> end_ask(c)
    :: in_flight[c] && !cut_off[c] && ask[c] != answered ->
      give_up(c);
#ifdef LOCAL
      if
      :: at[c] == 0 && !repeating -> alone = true
      :: at[c] != 0 || repeating -> let_go(c); leave(c); goto end_again
      fi
#else
#ifdef TIMEOUT_IS_CLAIMED
      F3(false)
#else
      let_go(c);
      leave(c);
      goto end_again /* busy */
#endif
#endif
    fi;
    /* The key is used here. */
    if
    :: alone
    :: !alone -> F5(CLAIMED(c))
    fi;
    if
    :: skip
#ifndef CODES
    :: /* It does not open; the claim stays. */
#ifdef GIVEN_BACK
      if
      :: primary[0].holder == NAME(at[c]) ->
        primary[0].holder = 0;
        primary[0].digest = 0;
        primary[0].asked = 0;
        COPY(standby, primary)
      :: else
      fi;
#endif
      let_go(c);
      leave(c);
      goto end_again
#endif
    fi
  }
#ifdef RECORD_NOT_SYNCED
  atomic {
    if
    :: cut_off[c] -> leave(c); goto end_again
    :: !cut_off[c] -> guard[at[c]] = complete; guarded[at[c]] = DIGEST(c); count(c)
    fi
  }
#endif
  atomic {
    if
    :: cut_off[c] -> leave(c); goto end_again
    :: !cut_off[c]
    fi;
    /* The record is durable, the guard complete, and the reply leaves. Whether it arrives the caller alone knows. */
    if
    :: recorded[at[c]]
    :: !recorded[at[c]] -> recorded[at[c]] = true; recorded_digest[at[c]] = DIGEST(c)
    fi;
    if
    :: repeating
    :: !repeating -> guard[at[c]] = complete; guarded[at[c]] = DIGEST(c)
    fi;
    if
    :: alone -> unclaimed = 1 + DIGEST(c)
    :: !alone
    fi;
    count(c);
    leave(c);
    goto end_again
  }
}

/* What is not there is inserted. Who holds what was there is read in a second transaction, which the marker that it writes answers for; since rows never change, the two are one step here. */
inline transaction(c) {
  if
  :: primary[day[c]].holder == 0 ->
    primary[day[c]].holder = NAME(at[c]);
    primary[day[c]].asked = request[c];
#ifndef DIGEST_NOT_KEPT
    primary[day[c]].digest = DIGEST(c);
#endif
    ask[c] = (ask[c] == sent -> written : idle)
  :: else ->
#ifdef READ_WITHOUT_WRITE
    ask[c] = (ask[c] == sent -> answered : idle)
#else
    ask[c] = (ask[c] == sent -> written : idle)
#endif
  fi;
  if
  :: ask[c] == idle -> end_ask(c)
  :: else ->
#ifdef STANDBY_NOT_AWAITED
    ask[c] = answered;
#endif
    granted[c] = HOLDER_MAY(primary[day[c]], c) || (OTHER_MAY(primary[day[c]], c) && IN_TIME);
    F2(!granted[c] || HOLDER_MAY(primary[day[c]], c) || !window_over);
    owed[c] = OWED(primary[day[c]], c)
  fi
}

#define REPLICATED(c) \
  if \
  :: ask[c] == written -> ask[c] = answered \
  :: else \
  fi
inline replicate() {
  COPY(standby, primary);
  REPLICATED(0);
  REPLICATED(1);
  REPLICATED(2)
}

proctype Store() {
end:
  do
  :: d_step { ask[0] == sent || ask[0] == given_up -> transaction(0) }
  :: d_step { ask[1] == sent || ask[1] == given_up -> transaction(1) }
  :: d_step { ask[2] == sent || ask[2] == given_up -> transaction(2) }
  /* The connection was lost before the transaction: nothing of it is in the store. */
  :: d_step { ask[0] == given_up -> end_ask(0) }
  :: d_step { ask[1] == given_up -> end_ask(1) }
  :: d_step { ask[2] == given_up -> end_ask(2) }
  :: d_step {
      ask[0] == written || ask[1] == written || ask[2] == written || primary[0].holder != standby[0].holder || primary[1].holder != standby[1].holder ->
      replicate()
    }
#ifdef WARNING_IS_DONE
  /* The wait for the standby is cancelled, and COMMIT is answered with a warning. */
  :: d_step { ask[0] == written -> ask[0] = answered }
  :: d_step { ask[1] == written -> ask[1] = answered }
#endif
  :: d_step { !window_over && primary[0].holder != 0 -> window_over = true }
#ifdef DAY_OF_CLAIMING
  :: d_step { today == 0 -> today = 1 }
#endif
  od
}

inline read_log(h) {
  if
  :: recorded[h] -> guard[h] = complete; guarded[h] = recorded_digest[h]
  :: else -> guard[h] = free; guarded[h] = 0
  fi
}

#define STOPPED(c, h) \
  if \
  :: in_flight[c] && at[c] == h -> cut_off[c] = true \
  :: else \
  fi
/* A crash that nobody can see is not played. */
#ifdef GUARD_COMPLETE_TOO_EARLY
#define MATTERS(h) true
#else
#define MATTERS(h) ((in_flight[0] && at[0] == h) || (in_flight[1] && at[1] == h) || (in_flight[2] && at[2] == h))
#endif
inline crash(h) {
  faults++;
  STOPPED(0, h);
  STOPPED(1, h);
  STOPPED(2, h);
#ifdef GUARD_COMPLETE_TOO_EARLY
  guard[h] = free; /* and requests are served while the log is still read */
  guarded[h] = 0
#else
  read_log(h)
#endif
}

/* Transactions in hand are lost with their connections. */
#define IN_HAND(c) (ask[c] == sent || ask[c] == written)
#define CUT(c) \
  if \
  :: IN_HAND(c) -> ask[c] = given_up \
  :: else \
  fi
proctype Faults() {
end:
  do
  :: d_step { faults < FAULTS && MATTERS(0) -> crash(0) }
  :: d_step { faults < FAULTS && MATTERS(1) -> crash(1) }
  /* The primary is gone, and the standby takes its place. */
  :: d_step {
      faults < FAULTS && (primary[0].holder != standby[0].holder || primary[1].holder != standby[1].holder || IN_HAND(0) || IN_HAND(1) || IN_HAND(2)) ->
      faults++;
      COPY(primary, standby);
      CUT(0);
      CUT(1);
      CUT(2)
    }
#ifdef GUARD_COMPLETE_TOO_EARLY
  :: d_step { guard[0] == free && recorded[0] -> read_log(0) }
  :: d_step { guard[1] == free && recorded[1] -> read_log(1) }
#endif
  od
}

#ifdef LOCAL
/* The store is back: host 0 claims what it opened without. Nobody asks after that, so each duplicate has happened. */
proctype Reconciliation() {
end:
  atomic {
    !in_flight[0] && !in_flight[1] && !in_flight[2];
    asks = ASKS;
    if
    :: unclaimed == 0
    :: unclaimed != 0 && primary[0].holder == 0
    :: unclaimed != 0 && primary[0].holder == NAME(0) ->
#ifdef REPORT_OTHER_HOLDERS_ONLY
      skip
#else
      reported = (primary[0].digest != 0 && primary[0].digest != unclaimed - 1)
#endif
    :: unclaimed != 0 && primary[0].holder == NAME(1) -> reported = true
    fi;
    F3(!opened_twice || reported)
  }
}
#endif

init {
  atomic {
    byte c;
    /* Callers differ in nothing but what they ask for, and the two bodies in nothing but their names: so in their order. */
    do
    :: c < CALLERS ->
      if
      :: c > 0 -> request[c] = request[c - 1]
      :: c == 0
      fi;
#ifndef CODES
      if
      :: request[c] < OTHER_BODY -> request[c]++
      :: skip
      fi;
#endif
      c++
    :: else -> break
    od;
    c = 0;
    run Store();
    run Faults();
    run Caller(0);
    run Caller(1);
    run Caller(2);
#ifdef LOCAL
    run Reconciliation()
#endif
  }
}
