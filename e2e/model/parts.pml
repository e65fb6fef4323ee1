/* A gang that no page holds: its journal entry stands in two parts on two pages. README.md tells
 * what is modelled; the network, the API server and what is known of a pod are those of
 * binding.pml, without nodes (each pod has one for itself, so ids alone tell who bound it) and
 * with decisions on what is true at that moment.
 *
 * Pod p is named on page p. A page is fenced and written for itself: a leader that is fenced on one
 * page may go on on the other until it finds out. What a page shall hold is gathered in WANT
 * (JournalPage's entries_), and a PUT sends all of that.
 */
#ifndef IDS
#define IDS 2 /* Entries that are ever decided, at most 2. */
#endif
#ifndef RESTARTS
#define RESTARTS 1 /* By a crash; 9 = any number. A deposed leader always starts again. */
#endif
#ifndef KILLS
#define KILLS 0 /* A pod is deleted by somebody else; 9 = any number. */
#endif

/* Knowledge of a pod. */
#define kGone 0
#define kOld 1
#define kNow 2
/* A part on a page. */
#define kBind 1
#define kAbandon 2
#define kAlone 3 /* An Abandon that has no other part: the rest of a gang. */
/* An entry, as a leader works on it. */
#define kStoring 1
#define kBinding 2
#define kAbandoning 3 /* Undone when every part of it is stored as given up. */
#define kUndoing 4
#define kLeaving 5
/* State of a member. */
#define kNew 1
#define kOpen 2
#define kBound 3
#define kLost 4
#define kUndo 5
#define kFreed 6
/* Phase of a leader. */
#define kStart 0
#define kFencing 1
#define kFenced 2 /* All pages were its own at one moment. */
#define kRun 3
/* A PUT. */
#define kIdle 0
#define kFlying 1
#define kStored 2

/* What a page may hold: itself, and of each leader what it stored last, what it wants, what it is
 * storing, and the PUT of a former life. */
#define PAGE(q) (q)
#define STORED(l, q) (2 + 2 * (l) + (q))
#define WANT(l, q) (6 + 2 * (l) + (q))
#define SENT(l, q) (10 + 2 * (l) + (q))
#define ORPHAN(l, q) (14 + 2 * (l) + (q))
#define S(h, e) state[2 * (h) + (e) - 1]
#define R(h, e) ref[2 * (h) + (e) - 1]
byte state[36], ref[36];

/* The API server. */
bool live[2] = true;
byte journal[2]; /* The id in the annotation of the Binding; 0 = not bound. */
byte bindings[2];
bool touches[2], deletes[2];

/* Ghosts: nothing but assertions looks at them. */
#define HAS(e, p) has[2 * (e) + (p) - 2]
byte has[4];    /* What has become of a member: bit 0 = it was bound, bit 1 = it is gone. */
#define ALL(e, bit) ((HAS(e, 0) & bit) && (HAS(e, 1) & bit))
bool sent[2];   /* Some Binding of it was sent. */
bool whole;     /* The gang was settled, and nobody else has broken it since. */

/* The leaders. */
#define E(l, e) entry[2 * (l) + (e) - 1]
#define M(l, e, p) member[4 * (l) + 2 * (e) + (p) - 2]
#define PUT(l, q) put[2 * (l) + (q)]
#define FENCED(l, q) fenced[2 * (l) + (q)]
#define LAG(l, q) lag[2 * (l) + (q)]
#define LEFT(l, q) left[2 * (l) + (q)]
byte phase[2], entry[4], member[8], put[4], lag[4];
bool fenced[4], left[4]; /* left: a PUT of a former life is under way. */
byte next_id = 1; /* An id is never used twice. */
bool begun;       /* Leader 0 is the first, by symmetry. */
byte restarts = RESTARTS, kills = KILLS;

hidden byte i_, j_, k_;

#ifdef MARKS
c_decl {
  \#include <string.h>
  static void Met(const char* name) {
    static const char* known[16];
    int i = 0;
    while (known[i] && strcmp(known[i], name)) i++;
    if (!known[i]) printf("mark %s\n", known[i] = name);
  }
}
#define MET(name, when) if :: when -> c_code { Met(#name); } :: else fi
#else
#define MET(name, when) skip
#endif

/* ---- The API server --------------------------------------------------------------------------*/

inline Refer(p, to) {
  for (i_ : 0 .. 8) {
    for (j_ : 1 .. 2) {
      if
      :: R(2 * i_ + p, j_) > to -> R(2 * i_ + p, j_) = to
      :: else
      fi
    }
  };
  skip
}

/* Pod p has another resourceVersion: what names the old one is refused from here on. */
inline Changed(p) {
  bindings[p] = 0;
  touches[p] = false;
  Refer(p, kOld)
}

inline Ended(p) {
  live[p] = false;
  journal[p] = 0;
  deletes[p] = false;
  whole = false;
  for (k_ : 1 .. 2) {
    if
    :: k_ < next_id -> HAS(k_, p) = HAS(k_, p) | 2
    :: else
    fi
  };
  Changed(p);
  Refer(p, kGone)
}

inline Clear(h) {
  for (i_ : 1 .. 2) { S(h, i_) = 0; R(h, i_) = 0 };
  skip
}

inline Copy(from, to) {
  for (i_ : 1 .. 2) { S(to, i_) = S(from, i_); R(to, i_) = R(from, i_) };
  skip
}

inline BindingActs(p, e) {
  bindings[p] = bindings[p] & (7 - (1 << e));
  if
  :: live[p] && journal[p] == 0 ->
     /* 6: a page names it. */
     assert(S(PAGE(p), e) && R(PAGE(p), e) == kNow);
     journal[p] = e;
     HAS(e, p) = 1;
     printf("pod %d is bound by entry %d\n", p, e);
     Changed(p)
  :: else
  fi
}

inline TouchActs(p) {
  MET(late_binding_refused, bindings[p]);
  printf("pod %d is touched\n", p);
  Changed(p)
}

inline DeleteActs(p) {
  printf("pod %d is deleted by Muster\n", p);
  /* No live pod of a settled gang is deleted; and 6, as for a Binding. */
  assert(!whole);
  assert((S(PAGE(p), 1) > kBind && R(PAGE(p), 1)) || (S(PAGE(p), 2) > kBind && R(PAGE(p), 2)));
  Ended(p)
}

/* ---- Leaders ---------------------------------------------------------------------------------*/

inline Restart(l) {
  printf("%d starts again\n", l);
  for (k_ : 0 .. 1) {
    if
    :: PUT(l, k_) == kFlying && FENCED(l, k_) && !LEFT(l, k_) ->
       LEFT(l, k_) = true;
       Copy(SENT(l, k_), ORPHAN(l, k_))
    :: else
    fi;
    Clear(STORED(l, k_));
    Clear(WANT(l, k_));
    Clear(SENT(l, k_));
    PUT(l, k_) = kIdle;
    FENCED(l, k_) = false;
    LAG(l, k_) = 0
  }
  for (k_ : 1 .. 2) { E(l, k_) = 0; M(l, k_, 0) = 0; M(l, k_, 1) = 0 };
  phase[l] = kStart
}

/* A PUT that is based on what page q holds acts. */
inline PutActs(l, q, h) {
  printf("the PUT of %d to page %d acts: %d %d\n", l, q, S(h, 1), S(h, 2));
  for (k_ : 1 .. 2) {
    if
    :: S(PAGE(q), k_) == kBind && S(h, k_) == 0 ->
       /* 2: it leaves when it is bound whole, nobody is left, or nothing of it was ever sent. */
       assert(ALL(k_, 1) || ALL(k_, 2) || !sent[k_ - 1]);
       MET(dropped_unsent, !sent[k_ - 1]);
       if
       :: journal[0] == k_ && journal[1] == k_ ->
          whole = true;
          MET(gang_settled, true)
       :: else
       fi
    :: S(PAGE(q), k_) > kBind && S(h, k_) == 0 ->
       /* 2: nothing of this part is left, and nothing under way can bring it back. */
       assert(!R(PAGE(q), k_) || journal[q] == 0 || journal[q] > k_);
       assert((bindings[q] & (1 << k_)) == 0);
       MET(gang_undone, S(PAGE(q), k_) == kAbandon);
       MET(rest_undone, S(PAGE(q), k_) == kAlone)
    :: else
    fi
  }
  Copy(h, PAGE(q));
  for (k_ : 0 .. 1) {
    if
    :: phase[k_] != kStart && LAG(k_, q) < 2 -> LAG(k_, q)++
    :: else
    fi;
    if
    :: PUT(k_, q) == kFlying && h == SENT(k_, q) -> PUT(k_, q) = kStored
    :: PUT(k_, q) == kFlying && h != SENT(k_, q) ->
       PUT(k_, q) = kIdle;
       Clear(SENT(k_, q));
       if
       :: !FENCED(k_, q) -> Clear(STORED(k_, q)); LAG(k_, q) = 0
       :: else
       fi
    :: else
    fi;
    LEFT(k_, q) = false;
    Clear(ORPHAN(k_, q))
  };
  skip
}

#define OUTDATED(l, q) (LAG(l, q) > (PUT(l, q) == kStored -> 1 : 0))
#define ON(l, e, q) (S(STORED(l, q), e) == S(WANT(l, q), e))
/* Every part of it is stored as it shall be. */
#ifdef F_SENT_AFTER_ONE_PART
#define NAMED(l, e) (S(STORED(l, 0), e) == kBind || S(STORED(l, 1), e) == kBind)
#else
#define NAMED(l, e) (S(STORED(l, 0), e) == kBind && S(STORED(l, 1), e) == kBind)
#endif
#ifdef F_UNDONE_AFTER_ONE_PART
#define GIVEN_UP(l, e) (S(STORED(l, 0), e) > kBind || S(STORED(l, 1), e) > kBind)
#else
#define GIVEN_UP(l, e) (ON(l, e, 0) && ON(l, e, 1))
#endif

inline PostBinding(l, e, p) {
#ifndef F_DOES_NOTHING
  if
  :: R(WANT(l, p), e) == kNow && journal[p] == 0 ->
     printf("%d sends a Binding: pod %d by entry %d\n", l, p, e);
     bindings[p] = bindings[p] | (1 << e);
     sent[e - 1] = true
  :: else
  fi
#else
  skip
#endif
}

inline StartUndo(l, e, p) {
  if
  :: M(l, e, p) == kNew -> M(l, e, p) = kFreed
  :: M(l, e, p) == kOpen || M(l, e, p) == kBound ->
     M(l, e, p) = kUndo;
     if
     :: R(WANT(l, p), e) == kNow && journal[p] == 0 -> printf("%d touches %d\n", l, p); touches[p] = true
     :: else
     fi
  :: else
  fi
}

inline GoOnUndoing(l, e) {
  E(l, e) = kUndoing;
  StartUndo(l, e, 0);
  StartUndo(l, e, 1)
}

inline TakeOverPod(l, e, p) {
  if
  :: S(WANT(l, p), e) == 0
  :: S(WANT(l, p), e) && R(WANT(l, p), e) == kGone -> M(l, e, p) = kLost
  :: S(WANT(l, p), e) && R(WANT(l, p), e) != kGone ->
     M(l, e, p) = (journal[p] -> kBound : kOpen);
     if
     :: E(l, e) == kBinding && M(l, e, p) == kOpen -> PostBinding(l, e, p)
     :: else
     fi
  fi
}

#define ANY(l, e, s) (S(STORED(l, 0), e) == (s) || S(STORED(l, 1), e) == (s))
/* One part in Abandon makes all that. */
#ifdef F_FIRST_PART_DECIDES
#define IS_GIVEN_UP(l, e) \
  (S(STORED(l, 0), e) > kBind || (S(STORED(l, 0), e) == 0 && S(STORED(l, 1), e) > kBind))
#else
#define IS_GIVEN_UP(l, e) (ANY(l, e, kAbandon) || ANY(l, e, kAlone))
#endif
/* A part without the other: it was never sent, or is settled. */
#ifdef F_LONE_PART_GOES_ON
#define IS_DROPPED(l, e) false
#else
#define IS_DROPPED(l, e) (!IS_GIVEN_UP(l, e) && ANY(l, e, 0))
#endif

inline TakeOverEntry(l, e) {
  if
  :: ANY(l, e, kBind) || ANY(l, e, kAbandon) || ANY(l, e, kAlone) ->
     MET(found_in_part, ANY(l, e, 0) && !ANY(l, e, kAlone));
     MET(found_mixed, ANY(l, e, kBind) && ANY(l, e, kAbandon));
     if
     :: IS_DROPPED(l, e) ->
        S(WANT(l, 0), e) = 0; S(WANT(l, 1), e) = 0;
        R(WANT(l, 0), e) = 0; R(WANT(l, 1), e) = 0
     :: !IS_DROPPED(l, e) && IS_GIVEN_UP(l, e) ->
        E(l, e) = kAbandoning;
        for (k_ : 0 .. 1) {
          if
          :: S(WANT(l, k_), e) == kBind -> S(WANT(l, k_), e) = kAbandon
          :: else
          fi
        };
        TakeOverPod(l, e, 0);
        TakeOverPod(l, e, 1)
     :: else ->
        E(l, e) = kBinding;
        TakeOverPod(l, e, 0);
        TakeOverPod(l, e, 1)
     fi
  :: else
  fi
}

/* Both pages are fenced: the pods are listed, and what the pages name is taken over. */
inline TakeOver(l) {
  for (k_ : 0 .. 1) { Copy(STORED(l, k_), WANT(l, k_)) };
  TakeOverEntry(l, 1);
  TakeOverEntry(l, 2);
  printf("%d has taken over\n", l);
  phase[l] = kRun
}

#define EMPTY(l) (E(l, 1) == 0 && E(l, 2) == 0)
#define MAY_DECIDE(l) (phase[l] == kRun && EMPTY(l) && next_id <= IDS)

inline Admit(l) {
  printf("%d decides entry %d\n", l, next_id);
  for (k_ : 0 .. 1) {
    S(WANT(l, k_), next_id) = kBind;
    R(WANT(l, k_), next_id) = kNow;
    M(l, next_id, k_) = kNew
  };
  E(l, next_id) = kStoring;
  next_id++
}

/* R7: what is left of a gang that no entry names. */
inline UndoRest(l, p) {
  printf("%d undoes pod %d by entry %d\n", l, p, next_id);
  S(WANT(l, p), next_id) = kAlone;
  R(WANT(l, p), next_id) = kNow;
  M(l, next_id, p) = kBound;
  E(l, next_id) = kAbandoning;
  next_id++
}

inline GiveUp(l, e) {
  printf("%d gives up entry %d\n", l, e);
  E(l, e) = kAbandoning;
  S(WANT(l, 0), e) = (S(WANT(l, 0), e) -> kAbandon : 0);
  S(WANT(l, 1), e) = (S(WANT(l, 1), e) -> kAbandon : 0)
}

inline Leave(l, e) {
  for (k_ : 0 .. 1) { S(WANT(l, k_), e) = 0; R(WANT(l, k_), e) = 0 };
  skip
}

inline Forget(l, e) {
  E(l, e) = 0;
  M(l, e, 0) = 0;
  M(l, e, 1) = 0
}

#define DONE(l, e, p) (M(l, e, p) == 0 || M(l, e, p) == kFreed || M(l, e, p) == kLost)
#define IS(l, e, p, s) (M(l, e, p) == (s) || M(l, e, p) == 0)
#define SETTLED(l, e) \
  ((IS(l, e, 0, kBound) && IS(l, e, 1, kBound)) || (IS(l, e, 0, kLost) && IS(l, e, 1, kLost)))

#define MEMBER(l, e, p)                                                                           \
  :: d_step { phase[l] == kRun && (M(l, e, p) == kNew || M(l, e, p) == kOpen || M(l, e, p) == kBound || \
              M(l, e, p) == kUndo) && S(WANT(l, p), e) && R(WANT(l, p), e) == kGone -> M(l, e, p) = kLost } \
  :: d_step { phase[l] == kRun && E(l, e) == kBinding && M(l, e, p) == kNew ->                     \
              M(l, e, p) = kOpen; PostBinding(l, e, p) }                                          \
  :: d_step { phase[l] == kRun && E(l, e) == kBinding && M(l, e, p) == kOpen && journal[p] &&      \
              R(WANT(l, p), e) -> printf("%d finds pod %d bound\n", l, p); M(l, e, p) = kBound }  \
  :: d_step { phase[l] == kRun && E(l, e) == kUndoing && M(l, e, p) == kUndo && R(WANT(l, p), e) && \
              journal[p] && !deletes[p] -> UndoBound(l, e, p) }                                   \
  :: d_step { phase[l] == kRun && E(l, e) == kUndoing && M(l, e, p) == kUndo && journal[p] == 0 && \
              R(WANT(l, p), e) == kOld -> printf("%d finds pod %d free\n", l, p); M(l, e, p) = kFreed } \
  PART_LEAVES(l, e, p)

inline UndoBound(l, e, p) {
  if
  :: journal[p] > e ->
     /* A later leader bound it: so this one is deposed. */
     assert(OUTDATED(l, 0) || OUTDATED(l, 1));
     Restart(l)
  :: else -> printf("%d sends a DELETE for pod %d\n", l, p); deletes[p] = true
  fi
}

#ifdef F_SETTLED_BY_PART
#define PART_LEAVES(l, e, p)                                                                      \
  :: d_step { phase[l] == kRun && E(l, e) == kBinding && M(l, e, p) == kBound && S(WANT(l, p), e) -> \
              S(WANT(l, p), e) = 0; R(WANT(l, p), e) = 0 }
#else
#define PART_LEAVES(l, e, p)
#endif

#define ENTRY(l, e)                                                                               \
  :: d_step { E(l, e) == kStoring && NAMED(l, e) -> E(l, e) = kBinding }                          \
  :: d_step { E(l, e) == kStoring || E(l, e) == kBinding -> GiveUp(l, e) }                        \
  :: d_step { E(l, e) == kAbandoning && GIVEN_UP(l, e) -> GoOnUndoing(l, e) }                     \
  :: d_step { E(l, e) == kUndoing && DONE(l, e, 0) && DONE(l, e, 1) -> E(l, e) = kLeaving; Leave(l, e) } \
  :: d_step { E(l, e) == kLeaving && ON(l, e, 0) && ON(l, e, 1) -> Forget(l, e) }                 \
  /* Its parts leave with the next PUT of their pages, whatever happens to the gang by then. */   \
  :: d_step { E(l, e) == kBinding && SETTLED(l, e) -> printf("%d settles entry %d\n", l, e); Forget(l, e); Leave(l, e) } \
  MEMBER(l, e, 0)                                                                                 \
  MEMBER(l, e, 1)

/* Page 0 is the gate: it is fenced before the other, and looked at once more after it. Who finds it
 * as he has written it has both: whoever writes the gate later fences the other later too. */
#ifdef F_GATE_NOT_FIRST
#define GATE_IS_FENCED(l, q) true
#else
#define GATE_IS_FENCED(l, q) ((q) == 0 || FENCED(l, 0))
#endif
#ifdef F_GATE_NOT_LOOKED_AT
#define GATE_IS_OURS(l) true
#else
#define GATE_IS_OURS(l) (LAG(l, 0) == 0)
#endif

#define CHANGED(l, q) (!ON(l, 1, q) || !ON(l, 2, q))
#define ON_PAGE(l, q)                                                                             \
  :: d_step { phase[l] == kFencing && !FENCED(l, q) && PUT(l, q) == kIdle && GATE_IS_FENCED(l, q) -> \
              Copy(PAGE(q), STORED(l, q)); Copy(PAGE(q), SENT(l, q)); LAG(l, q) = 0; PUT(l, q) = kFlying } \
  :: d_step { phase[l] == kRun && PUT(l, q) == kIdle && LAG(l, q) == 0 && CHANGED(l, q) ->         \
              Copy(WANT(l, q), SENT(l, q)); PUT(l, q) = kFlying }                                  \
  :: d_step { PUT(l, q) == kStored ->                                                              \
              printf("%d knows its PUT to page %d stored\n", l, q);                                 \
              Copy(SENT(l, q), STORED(l, q)); Clear(SENT(l, q)); LAG(l, q)--; PUT(l, q) = kIdle; FENCED(l, q) = true } \
  :: d_step { FENCED(l, q) && PUT(l, q) != kFlying && OUTDATED(l, q) -> MET(deposed, true); Restart(l) }

proctype Leader(bit l) {
  do
  :: d_step { phase[l] == kStart && (l == 0 || begun) -> begun = true; phase[l] = kFencing }
  ON_PAGE(l, 0)
  ON_PAGE(l, 1)
  :: d_step { phase[l] == kFencing && FENCED(l, 0) && FENCED(l, 1) && GATE_IS_OURS(l) -> phase[l] = kFenced }
  :: d_step { phase[l] == kFenced -> TakeOver(l) }
  :: d_step { MAY_DECIDE(l) && live[0] && live[1] && !journal[0] && !journal[1] -> Admit(l) }
  :: d_step { MAY_DECIDE(l) && journal[0] && !journal[1] -> UndoRest(l, 0) }
  :: d_step { MAY_DECIDE(l) && journal[1] && !journal[0] -> UndoRest(l, 1) }
  ENTRY(l, 1)
  ENTRY(l, 2)
  od
}

/* ---- The network, and everybody else ----------------------------------------------------------*/

#define ACT_POD(p)                                                                                \
  :: d_step { bindings[p] & 2 -> BindingActs(p, 1) }                                               \
  :: d_step { bindings[p] & 4 -> BindingActs(p, 2) }                                               \
  :: d_step { touches[p] -> TouchActs(p) }                                                         \
  :: d_step { deletes[p] -> DeleteActs(p) }
#define ACT_PAGE(l, q)                                                                            \
  :: d_step { PUT(l, q) == kFlying -> PutActs(l, q, SENT(l, q)) }                                  \
  :: d_step { LEFT(l, q) -> PutActs(l, q, ORPHAN(l, q)) }

proctype Network() {
  do
  ACT_POD(0)
  ACT_POD(1)
  ACT_PAGE(0, 0)
  ACT_PAGE(0, 1)
  ACT_PAGE(1, 0)
  ACT_PAGE(1, 1)
  od
}

#define SPEND(left, bound) left = left - (bound < 9 -> 1 : 0)
#define OTHERS(p)                                                                                 \
  :: d_step { kills && live[p] -> SPEND(kills, KILLS); printf("pod %d is deleted by others\n", p); Ended(p) } \
  :: d_step { !live[p] -> live[p] = true }

proctype World() {
  do
  OTHERS(0)
  OTHERS(1)
  :: d_step { restarts && phase[0] != kStart -> SPEND(restarts, RESTARTS); Restart(0) }
  :: d_step { restarts && phase[1] != kStart -> SPEND(restarts, RESTARTS); Restart(1) }
  od
}

init {
  atomic {
    run Leader(0);
    run Leader(1);
    run Network();
    run World()
  }
}
