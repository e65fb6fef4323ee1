/* Entries of minimum 0 beside the main one: surplus members of a gang, and replacements of what a
 * running gang has lost. README.md tells what is modelled; the network, the API server and what is
 * known of a pod are those of binding.pml, without nodes (ids alone tell who bound a pod) and with
 * decisions on what is true at that moment. One page; what it shall hold is gathered in WANT
 * (JournalPage's entries_), and a PUT sends all of that.
 *
 * A gang of three pods of which two are the minimum. A main entry names two; one of minimum 0 names
 * one, and is settled when that is bound or gone.
 */
#ifndef IDS
#define IDS 2 /* Entries that are ever decided, at most 3. */
#endif
#ifndef RESTARTS
#define RESTARTS 0 /* By a crash; 9 = any number. A deposed leader always starts again. */
#endif
#ifndef KILLS
#define KILLS 1 /* A pod is deleted by somebody else; 9 = any number. */
#endif
#ifndef LEADERS
#define LEADERS 2
#endif
#define PODS 3

/* What an entry says of a pod. */
#define kUnnamed 0
#define kGone 1
#define kOld 2
#define kNow 3
/* An entry on the page. */
#define kBind 1
#define kAbandon 2
#define kSurplus 3 /* A Bind of minimum 0. */
/* An entry, as a leader works on it. */
#define kStoring 1
#define kBinding 2
#define kAbandoning 3
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
#define kRun 2
/* A PUT. */
#define kIdle 0
#define kFlying 1
#define kStored 2

/* What a page may hold: itself, and of each leader what it stored last, what it wants, what it is
 * storing, and the PUT of a former life. */
#define PAGE 0
#define STORED(l) (1 + (l))
#define WANT(l) (3 + (l))
#define SENT(l) (5 + (l))
#define ORPHAN(l) (7 + (l))
#define S(h, e) state[IDS * (h) + (e) - 1]
#define R(h, e, p) ref[PODS * (IDS * (h) + (e) - 1) + (p)]
byte state[9 * IDS], ref[9 * IDS * PODS];

/* The API server. */
bool live[PODS] = true;
byte journal[PODS]; /* The id in the annotation of the Binding; 0 = not bound. */
byte bindings[PODS];
bool touches[PODS], deletes[PODS];
bool ran; /* The PodGroup's status: Scheduled=True. */

/* Ghosts: nothing but assertions looks at them. */
#define HAS(e, p) has[PODS * ((e) - 1) + (p)]
byte has[IDS * PODS]; /* What has become of a member: bit 0 = it was bound, bit 1 = it is gone. */
bool sent[IDS];       /* Some Binding of it was sent. */
bool small[IDS];      /* It is of minimum 0. */
bool safe[PODS];      /* Its entry has left as settled, and the gang ran. */
bool broken;          /* Others have deleted some of what a main entry has settled. */

/* The leaders. */
#define E(l, e) entry[IDS * (l) + (e) - 1]
#define M(l, e, p) member[PODS * (IDS * (l) + (e) - 1) + (p)]
byte phase[2], entry[2 * IDS], member[2 * IDS * PODS], put[2], lag[2];
bool left[2];     /* A PUT of a former life is under way. */
bool settled[2];  /* It has settled a main entry of the gang: it has run. */
byte next_id = 1; /* An id is never used twice. */
bool begun;       /* Leader 0 is the first, by symmetry. */
byte restarts = RESTARTS, kills = KILLS;

hidden byte i_, j_, k_, n_;

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

#define COUNT ((journal[0] -> 1 : 0) + (journal[1] -> 1 : 0) + (journal[2] -> 1 : 0))

/* ---- The API server --------------------------------------------------------------------------*/

inline Refer(p, to) {
  for (i_ : 0 .. 8) {
    for (j_ : 1 .. IDS) {
      if
      :: R(i_, j_, p) > to -> R(i_, j_, p) = to
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
  safe[p] = false;
  for (k_ : 1 .. IDS) {
    if
    :: k_ < next_id -> HAS(k_, p) = HAS(k_, p) | 2
    :: else
    fi
  };
  Changed(p);
  Refer(p, kGone)
}

inline Clear(h) {
  for (i_ : 1 .. IDS) {
    S(h, i_) = 0;
    for (j_ : 0 .. PODS - 1) { R(h, i_, j_) = 0 }
  };
  skip
}

inline Copy(from, to) {
  for (i_ : 1 .. IDS) {
    S(to, i_) = S(from, i_);
    for (j_ : 0 .. PODS - 1) { R(to, i_, j_) = R(from, i_, j_) }
  };
  skip
}

inline BindingActs(p, e) {
  bindings[p] = bindings[p] & (15 - (1 << e));
  if
  :: live[p] && journal[p] == 0 ->
     /* 6: a page names it. */
     assert(S(PAGE, e) && R(PAGE, e, p) == kNow);
     journal[p] = e;
     HAS(e, p) = HAS(e, p) | 1;
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
  /* Of a gang that ran nothing is deleted that an entry has settled: before its status says that it
   * ran, only what others have left of it. And 6, as for a Binding. */
  assert(!safe[p] || (broken && !ran));
  n_ = 0;
  for (k_ : 1 .. IDS) { n_ = n_ + (S(PAGE, k_) == kAbandon && R(PAGE, k_, p) > kGone -> 1 : 0) }
  assert(n_);
  Ended(p)
}

/* ---- Leaders ---------------------------------------------------------------------------------*/

inline Restart(l) {
  printf("%d starts again\n", l);
  if
  :: put[l] == kFlying && phase[l] == kRun && !left[l] -> left[l] = true; Copy(SENT(l), ORPHAN(l))
  :: else
  fi;
  Clear(STORED(l));
  Clear(WANT(l));
  Clear(SENT(l));
  put[l] = kIdle;
  lag[l] = 0;
  settled[l] = false;
  for (k_ : 1 .. IDS) {
    E(l, k_) = 0;
    for (j_ : 0 .. PODS - 1) { M(l, k_, j_) = 0 }
  };
  phase[l] = kStart
}

/* 2: all of it was bound, and the gang has its minimum by then; or nobody is left. Of one of minimum
 * 0: each was bound or is gone. What was bound with it by one of minimum 0 counts. */
inline LeavesSettled(e) {
  n_ = 0;
  for (j_ : 0 .. PODS - 1) {
    if
    :: R(PAGE, e, j_) && (HAS(e, j_) & 1) -> n_++
    :: R(PAGE, e, j_) == 0 && journal[j_] -> n_++
    :: else -> for (i_ : 1 .. IDS) { n_ = n_ + (i_ != e && small[i_ - 1] && (HAS(i_, j_) & 1) -> 1 : 0) }
    fi
  }
  for (j_ : 0 .. PODS - 1) {
    assert(R(PAGE, e, j_) == 0 || HAS(e, j_));
    assert(small[e - 1] || n_ >= 2 || R(PAGE, e, j_) == 0 || (HAS(e, j_) & 2));
    if
    :: R(PAGE, e, j_) && journal[j_] == e -> safe[j_] = (!small[e - 1] || ran || safe[0] || safe[1] || safe[2])
    :: else
    fi
  };
  broken = (small[e - 1] -> broken : COUNT < 2);
  MET(gang_settled, !small[e - 1] && n_ >= 2);
  MET(surplus_settled, small[e - 1])
}

/* 2: nothing of it is left, and nothing under way can bring it back. */
inline LeavesUndone(e) {
  for (j_ : 0 .. PODS - 1) {
    assert(R(PAGE, e, j_) <= kGone || journal[j_] == 0 || journal[j_] > e);
    assert(R(PAGE, e, j_) == 0 || (bindings[j_] & (1 << e)) == 0)
  };
  MET(gang_undone, !small[e - 1]);
  MET(surplus_undone, small[e - 1] && ran)
}

/* A PUT that is based on what the page holds acts. */
inline PutActs(l, h) {
  printf("the PUT of %d acts: %d %d\n", l, S(h, 1), S(h, 2));
  for (k_ : 1 .. IDS) {
    if
    :: (S(PAGE, k_) == kBind || S(PAGE, k_) == kSurplus) && S(h, k_) == 0 -> LeavesSettled(k_)
    :: S(PAGE, k_) == kAbandon && S(h, k_) == 0 -> LeavesUndone(k_)
    :: else
    fi
  }
  Copy(h, PAGE);
  /* A pod stands in one entry at most. */
  for (j_ : 0 .. PODS - 1) {
    n_ = 0;
    for (k_ : 1 .. IDS) { n_ = n_ + (R(PAGE, k_, j_) > kGone -> 1 : 0) }
    assert(n_ <= 1)
  }
  for (k_ : 0 .. 1) {
    if
    :: phase[k_] != kStart && lag[k_] < 2 -> lag[k_]++
    :: else
    fi;
    if
    :: put[k_] == kFlying && h == SENT(k_) -> put[k_] = kStored
    :: put[k_] == kFlying && h != SENT(k_) && phase[k_] == kRun -> put[k_] = kIdle; Clear(SENT(k_))
    :: put[k_] == kFlying && h != SENT(k_) && phase[k_] != kRun ->
       put[k_] = kIdle; lag[k_] = 0; phase[k_] = kStart; Clear(SENT(k_)); Clear(STORED(k_))
    :: else
    fi;
    left[k_] = false;
    Clear(ORPHAN(k_))
  };
  skip
}

#define OUTDATED(l) (lag[l] > (put[l] == kStored -> 1 : 0))

inline PostBinding(l, e, p) {
#ifndef F_DOES_NOTHING
  if
  :: R(WANT(l), e, p) == kNow && journal[p] == 0 ->
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
     :: R(WANT(l), e, p) == kNow && journal[p] == 0 -> printf("%d touches %d\n", l, p); touches[p] = true
     :: else
     fi
  :: else
  fi
}

inline GoOnUndoing(l, e) {
  E(l, e) = kUndoing;
  for (k_ : 0 .. PODS - 1) { StartUndo(l, e, k_) };
#ifdef F_GIVES_UP_THE_GANG
  for (k_ : 0 .. PODS - 1) {
    if
    :: small[e - 1] && journal[k_] -> deletes[k_] = true
    :: else
    fi
  };
#endif
  skip
}

/* The page is fenced and the pods are listed: what it names is taken over. */
inline TakeOver(l) {
  Copy(STORED(l), WANT(l));
  for (k_ : 1 .. IDS) {
    if
    :: S(STORED(l), k_) ->
       MET(taken_over_beside, S(STORED(l), k_) == kSurplus && S(STORED(l), 1) == kBind);
       E(l, k_) = (S(STORED(l), k_) == kAbandon -> kAbandoning : kBinding);
       for (j_ : 0 .. PODS - 1) {
         if
         :: R(STORED(l), k_, j_) == kGone -> M(l, k_, j_) = kLost
         :: R(STORED(l), k_, j_) > kGone ->
            M(l, k_, j_) = (journal[j_] -> kBound : kOpen);
            if
            :: E(l, k_) == kBinding && M(l, k_, j_) == kOpen -> PostBinding(l, k_, j_)
            :: else
            fi
         :: else
         fi
       }
    :: else
    fi
  };
  printf("%d has taken over\n", l);
  phase[l] = kRun
}

#if IDS > 2
#define OPEN(l, cond) (cond(l, 1) || cond(l, 2) || cond(l, 3))
#define NAMES(l, p) (M(l, 1, p) || M(l, 2, p) || M(l, 3, p))
#else
#define OPEN(l, cond) (cond(l, 1) || cond(l, 2))
#define NAMES(l, p) (M(l, 1, p) || M(l, 2, p))
#endif
#define IS_OPEN(l, e) E(l, e)
#define IS_MAIN(l, e) (E(l, e) && S(WANT(l), e) == kBind)
#define IS_ABANDON(l, e) (E(l, e) >= kAbandoning)
#define IS_PROMISED(l, e) (E(l, e) && S(WANT(l), e) == kSurplus && !COMES(l, e, 0) && !COMES(l, e, 1) && !COMES(l, e, 2) -> false : \
                           E(l, e) && S(WANT(l), e) == kSurplus)
#define COMES(l, e, p) (M(l, e, p) == kNew || M(l, e, p) == kOpen)
#define PENDING(l, p) (live[p] && journal[p] == 0 && !NAMES(l, p))
#define HAS_RUN(l) (ran || settled[l])
#define MAY(l) (phase[l] == kRun && next_id <= IDS)

inline Name(l, p) {
  R(WANT(l), next_id, p) = kNow;
  M(l, next_id, p) = (journal[p] -> kBound : kNew);
  HAS(next_id, p) = (journal[p] -> 1 : 0)
}

inline Decide(l, st) {
  printf("%d decides entry %d: %d\n", l, next_id, st);
  S(WANT(l), next_id) = st;
  E(l, next_id) = (st == kAbandon -> kAbandoning : kStoring);
  small[next_id - 1] = (st == kSurplus);
  next_id++
}

/* Two that wait, when nothing of the gang is bound; at first 0 and 1, by symmetry. */
#define MAIN(l, p, q)                                                                             \
  :: d_step { MAY(l) && COUNT == 0 && !OPEN(l, IS_OPEN) && PENDING(l, p) && PENDING(l, q) &&       \
              (next_id > 1 || (p) + (q) == 1) ->                                                  \
              Name(l, p); Name(l, q); Decide(l, kBind) }
/* What one of minimum 0 will bring counts as if it were there. */
#ifdef HOLE_PROMISED_COUNTS
#define MAIN_OF_ONE(l, p)                                                                         \
  :: d_step { MAY(l) && COUNT == 0 && !OPEN(l, IS_MAIN) && !OPEN(l, IS_ABANDON) && OPEN(l, IS_PROMISED) && \
              PENDING(l, p) -> Name(l, p); Decide(l, kBind) }
#else
#define MAIN_OF_ONE(l, p)
#endif
/* What is left of a gang that no entry names (R7). */
#ifdef F_R7_BESIDE_AN_ENTRY
#define R7(l) (MAY(l) && COUNT == 1 && !HAS_RUN(l) && !OPEN(l, IS_MAIN))
#else
#ifdef F_R7_THOUGH_IT_RAN
#define R7(l) (MAY(l) && COUNT == 1 && !OPEN(l, IS_OPEN))
#else
#define R7(l) (MAY(l) && COUNT == 1 && !HAS_RUN(l) && !OPEN(l, IS_OPEN))
#endif
#endif
#define COMPLETE(l, p, q)                                                                         \
  :: d_step { R7(l) && journal[p] && PENDING(l, q) -> Name(l, p); Name(l, q); Decide(l, kBind) }
#define UNDO_REST(l, p)                                                                           \
  :: d_step { R7(l) && journal[p] -> Name(l, p); Decide(l, kAbandon) }
/* A gang that is whole gets more; one that ran and is not gets what it lacks. */
#define SURPLUS(l, p)                                                                             \
  :: d_step { MAY(l) && PENDING(l, p) && !OPEN(l, IS_ABANDON) &&                                   \
              (COUNT >= 2 || (COUNT == 1 && HAS_RUN(l) && !OPEN(l, IS_MAIN) && !OPEN(l, IS_PROMISED))) -> \
              MET(replaces, COUNT == 1); MET(beside, OPEN(l, IS_MAIN)); Name(l, p); Decide(l, kSurplus) }

inline Leave(l, e) {
  S(WANT(l), e) = 0;
  for (k_ : 0 .. PODS - 1) { R(WANT(l), e, k_) = 0 };
  skip
}

inline Forget(l, e) {
  E(l, e) = 0;
  for (k_ : 0 .. PODS - 1) { M(l, e, k_) = 0 };
  skip
}

#define DONE(l, e, p) (M(l, e, p) == 0 || M(l, e, p) == kFreed || M(l, e, p) == kLost)
#define IS(l, e, p, s) (M(l, e, p) == (s) || M(l, e, p) == 0)
#define EACH(l, e, s) (IS(l, e, 0, s) && IS(l, e, 1, s) && IS(l, e, 2, s))
#define RESOLVED(l, e, p) (IS(l, e, p, kBound) || M(l, e, p) == kLost)
/* The minimum is that of the entry, or the gang is whole. */
#define IS_SETTLED(l, e)                                                                          \
  (RESOLVED(l, e, 0) && RESOLVED(l, e, 1) && RESOLVED(l, e, 2) &&                                  \
   (S(WANT(l), e) == kSurplus || EACH(l, e, kBound) || EACH(l, e, kLost) || COUNT >= 2))

inline Settle(l, e) {
  printf("%d settles entry %d\n", l, e);
  settled[l] = settled[l] || (S(WANT(l), e) == kBind && !EACH(l, e, kLost));
  Forget(l, e);
  Leave(l, e)
}

inline UndoBound(l, e, p) {
  if
  :: journal[p] > e ->
     /* A later leader bound it: so this one is deposed. */
     assert(OUTDATED(l));
     Restart(l)
  :: else -> printf("%d sends a DELETE for pod %d\n", l, p); deletes[p] = true
  fi
}

#define MEMBER(l, e, p)                                                                           \
  :: d_step { phase[l] == kRun && (M(l, e, p) == kNew || M(l, e, p) == kOpen || M(l, e, p) == kBound || \
              M(l, e, p) == kUndo) && R(WANT(l), e, p) == kGone -> M(l, e, p) = kLost }            \
  :: d_step { phase[l] == kRun && E(l, e) == kBinding && M(l, e, p) == kNew ->                     \
              M(l, e, p) = kOpen; PostBinding(l, e, p) }                                          \
  :: d_step { phase[l] == kRun && E(l, e) == kBinding && M(l, e, p) == kOpen && journal[p] &&      \
              R(WANT(l), e, p) > kGone -> printf("%d finds pod %d bound\n", l, p); M(l, e, p) = kBound } \
  :: d_step { phase[l] == kRun && E(l, e) == kUndoing && M(l, e, p) == kUndo && R(WANT(l), e, p) > kGone && \
              journal[p] && !deletes[p] -> UndoBound(l, e, p) }                                   \
  :: d_step { phase[l] == kRun && E(l, e) == kUndoing && M(l, e, p) == kUndo && journal[p] == 0 && \
              R(WANT(l), e, p) == kOld -> printf("%d finds pod %d free\n", l, p); M(l, e, p) = kFreed }

#define ON(l, e) (S(STORED(l), e) == S(WANT(l), e))
#define ENTRY(l, e)                                                                               \
  :: d_step { E(l, e) == kStoring && ON(l, e) -> E(l, e) = kBinding }                              \
  :: d_step { E(l, e) == kStoring || E(l, e) == kBinding ->                                        \
              printf("%d gives up entry %d\n", l, e); E(l, e) = kAbandoning; S(WANT(l), e) = kAbandon } \
  :: d_step { E(l, e) == kAbandoning && ON(l, e) -> GoOnUndoing(l, e) }                            \
  :: d_step { E(l, e) == kUndoing && DONE(l, e, 0) && DONE(l, e, 1) && DONE(l, e, 2) ->             \
              E(l, e) = kLeaving; Leave(l, e) }                                                   \
  :: d_step { E(l, e) == kLeaving && ON(l, e) -> Forget(l, e) }                                    \
  /* It leaves with the next PUT of the page, whatever happens to the gang by then. */            \
  :: d_step { E(l, e) == kBinding && IS_SETTLED(l, e) -> Settle(l, e) }                            \
  MEMBER(l, e, 0)                                                                                 \
  MEMBER(l, e, 1)                                                                                 \
  MEMBER(l, e, 2)

#if IDS > 2
#define ALL_ON(l) (ON(l, 1) && ON(l, 2) && ON(l, 3))
#else
#define ALL_ON(l) (ON(l, 1) && ON(l, 2))
#endif

proctype Leader(bit l) {
  do
  :: d_step { phase[l] == kStart && (l == 0 || (begun && LEADERS > 1)) ->
     begun = true;
     phase[l] = kFencing;
     Copy(PAGE, STORED(l));
     Copy(PAGE, SENT(l));
     lag[l] = 0;
     put[l] = kFlying }
  :: d_step { phase[l] == kRun && put[l] == kIdle && lag[l] == 0 && !ALL_ON(l) ->
     Copy(WANT(l), SENT(l)); put[l] = kFlying }
  :: d_step { put[l] == kStored ->
     printf("%d knows its PUT stored\n", l);
     Copy(SENT(l), STORED(l));
     Clear(SENT(l));
     lag[l]--;
     put[l] = kIdle;
     if
     :: phase[l] == kFencing -> TakeOver(l)
     :: else
     fi }
  :: d_step { phase[l] != kStart && put[l] != kFlying && OUTDATED(l) -> MET(deposed, true); Restart(l) }
  :: d_step { settled[l] && !ran && !OUTDATED(l) && COUNT -> ran = true }
  /* Nothing of it is left: it starts anew. */
  :: d_step { phase[l] == kRun && !OUTDATED(l) && HAS_RUN(l) && COUNT == 0 && !OPEN(l, IS_OPEN) -> ran = false; settled[l] = false }
  MAIN(l, 0, 1)
  MAIN(l, 0, 2)
  MAIN(l, 1, 2)
  MAIN_OF_ONE(l, 0)
  MAIN_OF_ONE(l, 1)
  MAIN_OF_ONE(l, 2)
  COMPLETE(l, 0, 1)
  COMPLETE(l, 0, 2)
  COMPLETE(l, 1, 0)
  COMPLETE(l, 1, 2)
  COMPLETE(l, 2, 0)
  COMPLETE(l, 2, 1)
  UNDO_REST(l, 0)
  UNDO_REST(l, 1)
  UNDO_REST(l, 2)
  SURPLUS(l, 0)
  SURPLUS(l, 1)
  SURPLUS(l, 2)
  ENTRY(l, 1)
  ENTRY(l, 2)
#if IDS > 2
  ENTRY(l, 3)
#endif
  od
}

/* ---- The network, and everybody else ----------------------------------------------------------*/

#define ACT_POD(p)                                                                                \
  :: d_step { bindings[p] & 2 -> BindingActs(p, 1) }                                               \
  :: d_step { bindings[p] & 4 -> BindingActs(p, 2) }                                               \
  ACT_THIRD(p)                                                                                    \
  :: d_step { touches[p] -> TouchActs(p) }                                                         \
  :: d_step { deletes[p] -> DeleteActs(p) }
#if IDS > 2
#define ACT_THIRD(p) :: d_step { bindings[p] & 8 -> BindingActs(p, 3) }
#else
#define ACT_THIRD(p)
#endif
#define ACT_PUT(l)                                                                                \
  :: d_step { put[l] == kFlying -> PutActs(l, SENT(l)) }                                           \
  :: d_step { left[l] -> PutActs(l, ORPHAN(l)) }

proctype Network() {
  do
  ACT_POD(0)
  ACT_POD(1)
  ACT_POD(2)
  ACT_PUT(0)
  ACT_PUT(1)
  od
}

#define SPEND(left, bound) left = left - (bound < 9 -> 1 : 0)
#define OTHERS(p)                                                                                 \
  :: d_step { kills && live[p] ->                                                                  \
              SPEND(kills, KILLS); printf("pod %d is deleted by others\n", p); broken = broken || safe[p]; Ended(p) } \
  :: d_step { !live[p] -> printf("pod %d is made again\n", p); live[p] = true }

proctype World() {
  do
  OTHERS(0)
  OTHERS(1)
  OTHERS(2)
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
