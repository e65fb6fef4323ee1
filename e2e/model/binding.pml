/* The journal and the binding protocol: leaders, the API server, and the requests between them.
 * README.md says what is modelled and how; `make model` runs it. One macro leaves out one rule
 * (F_..), numbers bound the run. With MARKS the search says once what it has met (`MET`); a mark that
 * needs a bit of the state has a macro of its own, which makes it fail (MARK_..).
 *
 * A request, once sent, belongs to the network: it may act at any later time or never, whatever
 * became of its sender. The requests under way are sets, so there is no bound on their number:
 *   bindings[pod, node]   ids of the entries whose Binding for that pod and node is under way
 *   touches[pod], deletes[pod]
 *   PUTs: one of each leader's life, and one of a former life of each (`orphan`)
 * One that can never act any more (its resourceVersion or uid is past) is dropped: its answer
 * says no more than a GET does.
 *
 * A resourceVersion is only ever compared with the present one. So what somebody knows of a pod is
 * kGone (another uid, or none), kOld (changed since) or kNow, and versions need no bound.
 */
#ifndef IDS
#define IDS 2 /* Entries that are ever decided, at most 3. */
#endif
/* Of the next five, 9 = any number. */
#ifndef RESTARTS
#define RESTARTS 9 /* By a crash; a leader that was deposed always starts again. */
#endif
#ifndef PATCHES
#define PATCHES 0 /* A pod is changed by somebody else. */
#endif
#ifndef KILLS
#define KILLS 0 /* A pod is deleted by somebody else. */
#endif
#ifndef LOSSES
#define LOSSES 0 /* The page is deleted by hand. */
#endif
#ifndef FOREIGN
#define FOREIGN 0 /* A pod is bound by another scheduler, to any node. */
#endif
/* TERMINATING: a pod that is deleted while it has a node stays there until it has ended; others may
 * hold one without a node too (a finalizer). The API server binds no such pod. */
/* STANDBY: who waits to lead follows the pods already. Once its fence is answered it waits until it
 * has seen all that had changed by then, instead of a list. */
#ifdef MOVES
#define NODES 3
#else
#define NODES 2
#endif

/* Pods 0 and 1 are the gang, 2 is the single pod. Entry 0 is the gang's, 1 the single pod's; a
 * member is a pod in an entry. Each node takes one pod. */
#define PODS 3
#ifdef F_DECIDE_EARLY /* The gang may stand on the page twice. */
#define ENTRIES 3
#define MEMBERS 5
#else
#define ENTRIES 2
#define MEMBERS 3
#endif
#define POD(m) ((m) < 3 -> (m) : (m) - 3)
#define ENTRY(m) ((m) < 2 -> 0 : ((m) == 2 -> 1 : 2))
#define FIRST(e) ((e) == 0 -> 0 : ((e) == 1 -> 2 : 3))
#define LAST(e) ((e) == 0 -> 1 : ((e) == 1 -> 2 : 4))

/* Knowledge of a pod. */
#define kGone 0
#define kOld 1
#define kNow 2
/* State of an entry. */
#define kBind 1
#define kAbandon 2
/* Phase of a leader. */
#define kStart 0
#define kFencing 1
#define kTouching 2
#define kRun 3
#define kListed 4 /* F_LIST_BEFORE_FENCE only. */
#define kWaiting 5 /* STANDBY only. */
/* State of a member. */
#define kNew 1       /* On the page, never sent by anybody. */
#define kOpen 2      /* Its Binding is sent, or was by a former leader. */
#define kHold 3      /* Taken over, does not fit any more: only to be given up. */
#define kBound 4
#define kElsewhere 5 /* On another node. */
#define kLost 6
#define kUndo 7      /* Touched or deleted. */
#define kFreed 8
#define kMoving 9    /* Touched, to be given another node. */
#define kEnding 10   /* Bound, and terminating by now. */
/* A PUT. */
#define kIdle 0
#define kFlying 1
#define kRefused 2   /* Another was stored on what it was based on: it can only be refused. */
#define kStored 3
/* What a PUT does. */
mtype = { kTouched, kTakeBack, kMove, kAmend, kUndone, kSettle, kGiveUp, kAdd, kCreate, kFence }; /* 10 .. 1 */

/* What a page may hold: 0 the page itself; then, of each leader, what it stored last, what it is
 * storing (JournalPage's stored_ and sent_), and the PUT of a former life. */
#define PAGE 0
#define STORED(l) (1 + (l))
#define SENT(l) (3 + (l))
#define ORPHAN(l) (5 + (l))
#define S(h, e) state[(h) * ENTRIES + (e)]
#define I(h, e) id[(h) * ENTRIES + (e)]
#define N(h, m) node_of[(h) * MEMBERS + (m)]
#define R(h, m) ref[(h) * MEMBERS + (m)]
byte state[7 * ENTRIES], id[7 * ENTRIES], node_of[7 * MEMBERS], ref[7 * MEMBERS];

/* The API server. */
bool live[PODS] = true;
byte node[PODS];     /* 0 = none. */
byte journal[PODS];  /* The id in the annotation of the Binding; 0 = it is not ours. */
#ifdef TERMINATING
bool ending[PODS];
#define ENDS(p) ending[p]
#else
#define ENDS(p) false
#endif
/* Bound by another scheduler: it carries no uid of our group, so it is use and no member, wherever
 * it is, and not ours to delete. */
#if FOREIGN
#define ALIEN(p) (node[p] && journal[p] == 0)
#else
#define ALIEN(p) false
#endif
#ifdef HOLE_FOREIGN_AT_ITS_NODE
#define HERE(p, n) (node[p] == (n))
#else
#define HERE(p, n) (node[p] == (n) && !ALIEN(p))
#endif
#ifdef HOLE_FOREIGN_DELETED
#define OUR_TO_DELETE(p, n) (node[p] == (n))
#else
#define OUR_TO_DELETE(p, n) (node[p] == (n) && !ALIEN(p))
#endif
bool page_here = true;
byte lost_id;        /* Ids up to here stood on a page that is lost. */
bool untouched;      /* The page was made anew, and pods may still have to be touched. */
byte holder;
byte last_id;       /* The highest id that ever stood on the page. */
byte bindings[PODS * NODES];
bool touches[PODS], deletes[PODS];
#define BINDINGS(p, n) bindings[(p) * NODES + (n) - 1]

/* Ghosts: nothing but assertions looks at them. */
bool whole[PODS];      /* Its gang was settled, and nobody else has broken it since. */
bool was_bound[MEMBERS]; /* A member of the entry on the page was bound while it stood there. */
bool lost;             /* The page was deleted, and no leader has started since. */

/* The leaders. */
#define MS(l, m) member[(l) * MEMBERS + (m)]
#define VN(l, p) view_node[(l) * PODS + (p)]
#define VR(l, p) view_ref[(l) * PODS + (p)]
byte phase[2], lag[2]; /* How many PUTs the page is ahead of what it stored; 2 = or more. */
byte put[2], what[2], arg[2], next_id[2];
bool created[2], adopted[2];
byte member[2 * MEMBERS], view_node[2 * PODS], view_ref[2 * PODS];
#ifdef STANDBY
bool warm[2];           /* It has listed the pods once, in this life. */
bool behind[2 * PODS];  /* What it has seen of the pod is older than its fence. */
#define BEHIND(l, p) behind[(l) * PODS + (p)]
#define IS_WARM(l) warm[l]
#else
#define IS_WARM(l) true
#endif
byte orphan[2], orphan_arg[2]; /* What the PUT of a former life does; 0 = none. */
bool begun; /* Leader 0 is the first to start, and the first decision takes the nodes in order: */
bool decided; /* both by symmetry. */
byte restarts = RESTARTS, patches = PATCHES, kills = KILLS, losses = LOSSES;
#if FOREIGN
byte foreign = FOREIGN;
#endif

hidden byte i_, j_, k_, a_, b_, c_;
hidden byte yes_;

#define MARKED(name) assert(!(name))
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

/* Pod p has another resourceVersion: what names the old one is refused from here on. */
inline Changed(p) {
#ifndef F_BIND_NO_VERSION
  for (i_ : 1 .. NODES) { BINDINGS(p, i_) = 0 }
#endif
#ifndef F_TOUCH_BLIND
  touches[p] = false;
#endif
  for (i_ : 0 .. MEMBERS - 1) {
    if
    :: POD(i_) == p ->
       for (j_ : 0 .. 6) {
         if
         :: R(j_, i_) == kNow -> R(j_, i_) = kOld
         :: else
         fi
       }
    :: else
    fi
  }
  for (i_ : 0 .. 1) {
    if
    :: VR(i_, p) == kNow -> VR(i_, p) = kOld
    :: else
    fi
  };
  skip
}

inline Break(p) {
  if
  :: whole[p] -> whole[0] = false; whole[1] = false
  :: else
  fi
}

/* Its uid is past. */
inline Ended(p) {
  live[p] = false;
  node[p] = 0;
  journal[p] = 0;
  touches[p] = false;
  deletes[p] = false;
#ifdef TERMINATING
  ending[p] = false;
#endif
  Break(p);
  for (i_ : 1 .. NODES) { BINDINGS(p, i_) = 0 }
  for (i_ : 0 .. MEMBERS - 1) {
    if
    :: POD(i_) == p -> for (j_ : 0 .. 6) { R(j_, i_) = kGone }
    :: else
    fi
  }
  for (i_ : 0 .. 1) { VR(i_, p) = kGone };
  skip
}

/* Somebody's DELETE acts. */
inline Deleted(p) {
#ifdef TERMINATING
  if
  :: node[p] -> ending[p] = true; deletes[p] = false; Break(p); Changed(p)
  :: else -> Ended(p)
  fi
#else
  Ended(p)
#endif
}

inline Clear(h) {
  for (i_ : 0 .. ENTRIES - 1) { S(h, i_) = 0; I(h, i_) = 0 }
  for (i_ : 0 .. MEMBERS - 1) { N(h, i_) = 0; R(h, i_) = 0 };
  skip
}

inline Copy(from, to) {
  for (i_ : 0 .. ENTRIES - 1) { S(to, i_) = S(from, i_); I(to, i_) = I(from, i_) }
  for (i_ : 0 .. MEMBERS - 1) { N(to, i_) = N(from, i_); R(to, i_) = R(from, i_) };
  skip
}

inline Erase(h, e) {
  S(h, e) = 0;
  I(h, e) = 0;
  for (i_ : FIRST(e) .. LAST(e)) { N(h, i_) = 0; R(h, i_) = 0 };
  skip
}

/* A Binding acts. */
inline BindingActs(p, n, e) {
  BINDINGS(p, n) = BINDINGS(p, n) & (255 - (1 << e));
  if
  :: live[p] && !ENDS(p) && node[p] == 0 ->
     /* 1: no node is used twice. Another scheduler may have been faster than what anybody saw. */
     for (k_ : 0 .. PODS - 1) { assert(!live[k_] || node[k_] != n || ALIEN(k_)) }
     /* 6: a page names it. */
     yes_ = lost;
     for (k_ : 0 .. MEMBERS - 1) {
       if
       :: POD(k_) == p && S(PAGE, ENTRY(k_)) && I(PAGE, ENTRY(k_)) == e && N(PAGE, k_) == n && R(PAGE, k_) == kNow ->
          yes_ = true;
          was_bound[k_] = true
       :: else
       fi
     }
     assert(yes_);
     node[p] = n;
     journal[p] = e;
     printf("pod %d is bound to node %d by entry %d\n", p, n, e);
     Changed(p)
  :: else
  fi;
  skip
}

inline TouchActs(p) {
  MET(late_binding_refused, BINDINGS(p, 1) || BINDINGS(p, 2));
  touches[p] = false;
  printf("pod %d is touched\n", p);
#ifdef F_TOUCH_BLIND
  for (k_ : 0 .. MEMBERS - 1) {
    for (c_ : 0 .. 1) {
      if
      :: POD(k_) == p && MS(c_, k_) == kUndo && R(STORED(c_), k_) -> MS(c_, k_) = kFreed
      :: else
      fi
    }
  }
#endif
  Changed(p);
  skip
}

inline DeleteActs(p) {
  /* No live pod of a settled gang is deleted; and 6, as for a Binding. */
  printf("pod %d is deleted by Muster\n", p);
  assert(!whole[p]);
  yes_ = losses < LOSSES; /* A DELETE that a lost page named is not stopped by a fence. */
  for (k_ : 0 .. MEMBERS - 1) {
    yes_ = yes_ || (POD(k_) == p && S(PAGE, ENTRY(k_)) == kAbandon && N(PAGE, k_) && R(PAGE, k_))
  }
  assert(yes_);
  Deleted(p)
}

inline Forget(l) {
  Clear(STORED(l));
  Clear(SENT(l));
  for (i_ : 0 .. MEMBERS - 1) { MS(l, i_) = 0 }
  for (i_ : 0 .. PODS - 1) { VN(l, i_) = 0; VR(l, i_) = 0 }
  lag[l] = 0;
  put[l] = kIdle;
  what[l] = 0;
  arg[l] = 0;
  next_id[l] = 0;
  adopted[l] = false;
#ifdef STANDBY
  warm[l] = false;
  for (i_ : 0 .. PODS - 1) { BEHIND(l, i_) = false };
#endif
  skip
}

/* What an outdated leader has seen serves no decision: every PUT of it is refused. Nor does what
 * one has seen that may decide no more. Both are forgotten, for fewer states. One that has nothing
 * on its page can do nothing but find out. */
#define OUTDATED(l) (lag[l] > (put[l] == kStored -> 1 : 0))
#ifdef MOVES
#define BLIND(l) OUTDATED(l)
#else
#define BLIND(l) (OUTDATED(l) || next_id[l] > IDS)
#endif
inline Outdate(l) {
  if
  :: phase[l] == kRun && put[l] == kIdle && BLIND(l) ->
     for (i_ : 0 .. PODS - 1) { VN(l, i_) = 0; VR(l, i_) = 0 }
     if
     :: lag[l] ->
        lag[l] = 1;
        next_id[l] = 0;
        yes_ = false;
        for (i_ : 0 .. ENTRIES - 1) { yes_ = yes_ || S(STORED(l), i_) }
        if
        :: !yes_ -> Forget(l); created[l] = false; phase[l] = kStart
        :: else
        fi
     :: else
     fi
  :: else
  fi;
  skip
}

/* The PUT under way of leader l can only be refused, since `winner` was stored: a fence reads
 * again, if it may have been its own former life (else at once); others find out by 409 or GET. */
inline Refuse(l, winner) {
  if
  :: phase[l] == kFencing && l == winner -> put[l] = kRefused;
  :: phase[l] == kFencing && l != winner -> Forget(l); phase[l] = kStart
  :: else ->
     put[l] = kIdle;
     what[l] = 0;
     arg[l] = 0;
     Clear(SENT(l));
     Outdate(l)
  fi;
  skip
}

/* No such pod, or one that nobody can bind there any more. */
#define NOBODY(m)                                                                             \
  (R(PAGE, m) == kGone || (ENDS(POD(m)) && node[POD(m)] == 0) || ALIEN(POD(m)))

/* A PUT of leader l that is based on what the page holds acts: content h, which does `does`. */
inline PutActs(l, h, does, about) {
  printf("the PUT of %d acts: %e of %d\n", l, does, about);
  if
  :: does == kSettle ->
     /* 2: bound whole while it stood there, or nobody is left. */
     yes_ = true;
     for (k_ : FIRST(about) .. LAST(about)) { yes_ = yes_ && (was_bound[k_]) }
     if
     :: !yes_ -> for (k_ : FIRST(about) .. LAST(about)) { assert(NOBODY(k_)) }
     :: yes_ && about != 1 && R(PAGE, 0) && R(PAGE, 1) && !ENDS(0) && !ENDS(1) ->
        whole[0] = true;
        whole[1] = true
     :: else
     fi
     ; MET(gang_settled, about == 0 && yes_)
  :: does == kUndone ->
     /* 2: nothing of it is left, and nothing under way can bring it back. */
     for (k_ : FIRST(about) .. LAST(about)) {
       if
       :: N(PAGE, k_) && R(PAGE, k_) ->
          MET(left_terminating, node[POD(k_)] == N(PAGE, k_) && ENDS(POD(k_)));
          assert(node[POD(k_)] != N(PAGE, k_) || journal[POD(k_)] > I(PAGE, about) ||
                 ENDS(POD(k_)) || ALIEN(POD(k_)));
          assert((BINDINGS(POD(k_), N(PAGE, k_)) & (1 << I(PAGE, about))) == 0)
       :: else
       fi
     }
     ; MET(gang_undone, about == 0)
  :: else
  fi;
  if
  :: does == kSettle || does == kUndone ->
     for (k_ : FIRST(about) .. LAST(about)) { was_bound[k_] = false }
  :: does == kAdd ->
     for (k_ : FIRST(about) .. LAST(about)) {
       was_bound[k_] = (R(h, k_) && node[POD(k_)] && HERE(POD(k_), N(h, k_)))
     }
  :: else
  fi;
  Copy(h, PAGE);
  holder = l;
  page_here = true;
#ifndef HOLE_MADE_ANEW_FORGOTTEN
  untouched = (does == kCreate || (does == kFence && untouched));
#endif
#ifndef HOLE_ID_AGAIN
  for (k_ : 0 .. ENTRIES - 1) {
    if
    :: I(PAGE, k_) > last_id -> last_id = I(PAGE, k_)
    :: else
    fi
  }
#endif
  for (k_ : 0 .. 1) {
    if
    :: phase[k_] != kStart && lag[k_] < 2 -> lag[k_]++
    :: else
    fi;
    if
    :: put[k_] == kFlying && k_ == l && h == SENT(l) -> put[k_] = kStored
    :: put[k_] == kFlying && !(k_ == l && h == SENT(l)) -> Refuse(k_, l)
    :: else -> Outdate(k_)
    fi;
    orphan[k_] = 0;
    orphan_arg[k_] = 0;
    Clear(ORPHAN(k_))
  }
  /* 1: no two entries promise one node. */
  for (k_ : 0 .. MEMBERS - 1) {
    for (c_ : 0 .. MEMBERS - 1) {
      assert(k_ == c_ || S(PAGE, ENTRY(k_)) != kBind || S(PAGE, ENTRY(c_)) != kBind || !N(PAGE, k_) ||
             N(PAGE, k_) != N(PAGE, c_) || NOBODY(k_) || NOBODY(c_))
    }
  };
  skip
}

/* ---- A leader --------------------------------------------------------------------------------*/

#define IDLE(l) (phase[l] == kRun && put[l] == kIdle && lag[l] == 0)
#define CHARGED(l, m, n)                                                                      \
  (S(STORED(l), ENTRY(m)) && N(STORED(l), m) == (n) && MS(l, m) != kFreed && MS(l, m) != kLost && \
   MS(l, m) != kElsewhere NOT_MOVING(l, m))
#ifdef F_MOVED_NODE_FREED
#define NOT_MOVING(l, m) && MS(l, m) != kMoving
#else
#define NOT_MOVING(l, m)
#endif
#ifdef F_DECIDE_EARLY
#define CHARGED_AGAIN(l, n) || CHARGED(l, 3, n) || CHARGED(l, 4, n)
#else
#define CHARGED_AGAIN(l, n)
#endif
/* A pod that it has seen there, whoever has bound it, until it is gone. Of one that is terminating
 * VR is kGone: nobody decides about it. */
#ifdef F_TERMINATING_FREES
#define USED(l, p, n) (VN(l, p) == (n) && VR(l, p))
#else
#ifdef F_FOREIGN_IS_NO_USE
#define USED(l, p, n) (VN(l, p) == (n) && !ALIEN(p))
#else
#define USED(l, p, n) (VN(l, p) == (n))
#endif
#endif
/* As the core counts: pods that it has seen there, and entries that are not resolved. */
#define FREE(l, n)                                                                          \
  !(USED(l, 0, n) || USED(l, 1, n) || USED(l, 2, n) || CHARGED(l, 0, n) ||                   \
    CHARGED(l, 1, n) || CHARGED(l, 2, n) CHARGED_AGAIN(l, n))
/* Nobody promises a node on which he has seen a pod of another scheduler. */
inline Promises(l, n) {
#if FOREIGN
  for (k_ : 0 .. PODS - 1) { assert(!ALIEN(k_) || VR(l, k_) != kNow || node[k_] != n) };
#endif
  skip
}

/* The process ends and starts again under the same identity; what it sent stays under way. */
inline Restart(l) {
  printf("%d starts again\n", l);
  if
  :: put[l] == kFlying && what[l] != kFence && what[l] != kCreate && !orphan[l] ->
     orphan[l] = what[l];
     orphan_arg[l] = arg[l];
     Copy(SENT(l), ORPHAN(l))
  :: else
  fi;
  Forget(l);
  created[l] = false;
  phase[l] = kStart;
  skip
}

/* Deposed: a leader exits, a fence reads and repeats. */
inline Deposed(l) {
  if
  :: phase[l] == kFencing -> Forget(l); phase[l] = kStart
  :: else -> Restart(l)
  fi;
  skip
}

inline Send(l, does, about) {
  printf("%d sends a PUT: %e of %d\n", l, does, about);
  what[l] = does;
  arg[l] = about;
  put[l] = kFlying
}

inline PostBinding(l, m) {
#ifndef F_DOES_NOTHING
  if
#ifdef F_BIND_NO_VERSION
  :: R(STORED(l), m) != kGone && live[POD(m)] && node[POD(m)] == 0 ->
#else
  :: R(STORED(l), m) == kNow && node[POD(m)] == 0 ->
#endif
     printf("%d sends a Binding: pod %d to node %d by entry %d\n", l, POD(m), N(STORED(l), m), I(STORED(l), ENTRY(m)));
     BINDINGS(POD(m), N(STORED(l), m)) = BINDINGS(POD(m), N(STORED(l), m)) | (1 << I(STORED(l), ENTRY(m)))
  :: else
  fi
#else
  skip
#endif
}

inline PatchTouch(l, m) {
  if
#ifdef F_TOUCH_BLIND
  :: R(STORED(l), m) != kGone -> printf("%d touches %d\n", l, POD(m)); touches[POD(m)] = true
#else
  :: R(STORED(l), m) == kNow && node[POD(m)] == 0 -> printf("%d touches %d\n", l, POD(m)); touches[POD(m)] = true
#endif
  :: else
  fi
}

#define AS_SEEN(p) (live[p] && !ENDS(p) -> kNow : kGone)
inline ListPods(l) {
  for (i_ : 0 .. PODS - 1) {
    VN(l, i_) = node[i_];
    VR(l, i_) = AS_SEEN(i_)
  };
  skip
}

/* The lists are read: what the pages name is taken over. */
inline TakeOver(l) {
  next_id[l] = last_id + 1;
  for (k_ : 0 .. ENTRIES - 1) {
#ifdef MARK_abandoned_after_crash
    if
    :: S(STORED(l), k_) -> adopted[l] = true
    :: else
    fi;
#endif
    if
    :: I(STORED(l), k_) >= next_id[l] -> next_id[l] = I(STORED(l), k_) + 1
    :: else
    fi
  }
  for (k_ : 0 .. PODS - 1) {
    if
    :: VN(l, k_) && journal[k_] >= next_id[l] -> next_id[l] = journal[k_] + 1
    :: else
    fi
  }
  for (k_ : 0 .. MEMBERS - 1) {
    if
    :: S(STORED(l), ENTRY(k_)) == 0 || N(STORED(l), k_) == 0
    :: else ->
       if
       :: R(STORED(l), k_) == kGone || (VR(l, POD(k_)) == kGone && VN(l, POD(k_)) == 0) -> MS(l, k_) = kLost
       :: else ->
          if
          :: S(STORED(l), ENTRY(k_)) == kAbandon -> MS(l, k_) = kUndo; PatchTouch(l, k_)
          :: else ->
             if
             :: VN(l, POD(k_)) == 0 -> MS(l, k_) = kOpen
             :: VN(l, POD(k_)) == N(STORED(l), k_) && HERE(POD(k_), N(STORED(l), k_)) -> MS(l, k_) = (VR(l, POD(k_)) -> kBound : kEnding)
             :: else -> MS(l, k_) = kElsewhere
             fi
          fi
       fi
    fi
  }
  /* Rolled forward if it fits beside everything else. */
  for (k_ : 0 .. MEMBERS - 1) {
    if
    :: MS(l, k_) == kOpen ->
       yes_ = true;
       for (c_ : 0 .. PODS - 1) { yes_ = yes_ && !USED(l, c_, N(STORED(l), k_)) }
       for (c_ : 0 .. MEMBERS - 1) { yes_ = yes_ && (c_ == k_ || !CHARGED(l, c_, N(STORED(l), k_))) }
       if
       :: yes_ -> PostBinding(l, k_)
       :: else -> MS(l, k_) = kHold
       fi
    :: else
    fi
  }
  MET(taken_over, S(STORED(l), 0) == kBind && MS(l, 0) == kOpen);
  printf("%d has listed and taken over\n", l);
  phase[l] = kRun;
  lost = lost && lag[l];
  skip
}

/* Every pending pod of ours is touched once a page was missing. */
inline TouchStrays(l) {
  for (k_ : 0 .. PODS - 1) {
    if
    :: VR(l, k_) == kNow && VN(l, k_) == 0 -> touches[k_] = true
    :: else
    fi
  }
  phase[l] = kTouching
}
#define TOUCHED(l, p) (VN(l, p) || VR(l, p) != kNow)

/* The fence is answered. */
inline List(l) {
#if !defined(F_LIST_BEFORE_FENCE) && !defined(STANDBY)
  ListPods(l);
#endif
  if
#ifndef F_NO_STRAY_TOUCH
  :: created[l] || untouched ->
#ifdef STANDBY
     ListPods(l);
#endif
     created[l] = true;
     TouchStrays(l)
#endif
#ifdef STANDBY
  :: else ->
     phase[l] = kWaiting;
#ifndef F_STANDBY_DOES_NOT_WAIT
     for (k_ : 0 .. PODS - 1) {
       BEHIND(l, k_) = (VR(l, k_) != AS_SEEN(k_) || VN(l, k_) != node[k_]);
       MET(standby_is_behind, BEHIND(l, k_))
     }
#endif
#else
  :: else -> TakeOver(l)
#endif
  fi;
  skip
}

/* The page names it now. */
inline Finish(l) {
  printf("%d knows its PUT stored\n", l);
  Copy(SENT(l), STORED(l));
  a_ = what[l];
  b_ = arg[l];
  lag[l]--;
  put[l] = kIdle;
  what[l] = 0;
  arg[l] = 0;
  Clear(SENT(l));
  if
  :: a_ == kFence || a_ == kCreate -> List(l)
  :: a_ == kAdd ->
     for (k_ : FIRST(b_) .. LAST(b_)) {
       if
       :: R(STORED(l), k_) == kGone -> MS(l, k_) = kLost
       :: R(STORED(l), k_) && S(STORED(l), b_) == kAbandon -> MS(l, k_) = kUndo
       :: R(STORED(l), k_) && S(STORED(l), b_) == kBind ->
          MS(l, k_) = (VN(l, POD(k_)) == 0 -> kNew : (VN(l, POD(k_)) == N(STORED(l), k_) && HERE(POD(k_), N(STORED(l), k_)) -> kBound : kElsewhere))
#ifdef MARK_completed_around
          ; MARKED(MS(l, k_) == kBound)
#endif
       fi
     }
  :: a_ == kGiveUp ->
#ifdef MARK_abandoned_after_crash
     MARKED(adopted[l]);
#endif
     for (k_ : FIRST(b_) .. LAST(b_)) {
       if
       :: MS(l, k_) == kNew -> MS(l, k_) = kFreed
       :: MS(l, k_) == kBound || MS(l, k_) == kEnding || MS(l, k_) == kOpen || MS(l, k_) == kHold ||
          MS(l, k_) == kMoving ->
          MS(l, k_) = kUndo;
          PatchTouch(l, k_)
       :: else
       fi
     }
  :: a_ == kSettle || a_ == kUndone ->
     for (k_ : FIRST(b_) .. LAST(b_)) { MS(l, k_) = 0 }
  :: a_ == kTouched
  :: a_ == kAmend -> MS(l, b_) = kOpen; PostBinding(l, b_)
  :: a_ == kMove ->
#ifdef MARK_moved
     MARKED(true);
#endif
     MS(l, b_) = kOpen;
     PostBinding(l, b_)
  :: a_ == kTakeBack ->
     for (k_ : FIRST(b_) .. LAST(b_)) { MS(l, k_) = kBound }
  fi;
  Outdate(l);
  skip
}

/* Decide: pods first..last of an entry to nodes x, y. Nothing is sent before the page is stored. */
inline Admit(l, e, st, x, y) {
  Copy(STORED(l), SENT(l));
  S(SENT(l), e) = st;
  I(SENT(l), e) = next_id[l];
  N(SENT(l), FIRST(e)) = x;
  R(SENT(l), FIRST(e)) = (x -> VR(l, POD(FIRST(e))) : kGone);
  if
  :: e != 1 ->
     N(SENT(l), LAST(e)) = y;
     R(SENT(l), LAST(e)) = (y -> VR(l, POD(LAST(e))) : kGone)
  :: else
  fi;
  next_id[l]++;
  Send(l, kAdd, e)
}

inline Change(l, does, about, e, st) {
  Copy(STORED(l), SENT(l));
  S(SENT(l), e) = st;
  Send(l, does, about)
}

inline Remove(l, does, e) {
  Copy(STORED(l), SENT(l));
  Erase(SENT(l), e);
  Send(l, does, e)
}

#define PENDING(l, p) (VR(l, p) && !VN(l, p))
#define RUNS(l, p) (VR(l, p) && VN(l, p))
#define CAN_DECIDE(l) (IDLE(l) && next_id[l] <= IDS)
#ifdef F_DECIDE_EARLY
/* The slot beside an Abandon whose members are all done. */
#define ROOM(l, e) (S(STORED(l), e) == 0 && (e == 2 -> S(STORED(l), 0) == kAbandon && UNDONE(l, 0) : S(STORED(l), 2) == 0))
#else
#define ROOM(l, e) (S(STORED(l), e) == 0)
#endif
/* What another scheduler has bound is no member: it carries no uid of our group. */
#define BELONGS(l, p) (RUNS(l, p) && !ALIEN(p))
#define HALF(l) ((BELONGS(l, 0) && !BELONGS(l, 1)) || (BELONGS(l, 1) && !BELONGS(l, 0)))
#ifdef F_NO_R7
#define R7(l) false
#else
#define R7(l) (CAN_DECIDE(l) && ROOM(l, 0) && HALF(l))
#endif
#define DONE(l, m) (MS(l, m) == kFreed || MS(l, m) == kLost || MS(l, m) == kElsewhere)
#define UNDONE(l, e) (DONE(l, FIRST(e)) && DONE(l, LAST(e)))
#ifdef F_FOREIGN_COUNTS
#define COUNTS(l, m) (MS(l, m) == kBound || MS(l, m) == kElsewhere)
#else
#define COUNTS(l, m) (MS(l, m) == kBound || (MS(l, m) == kElsewhere && journal[POD(m)]))
#endif
#define NO_MEMBER(l, m) (MS(l, m) == kLost || (MS(l, m) == kElsewhere && ALIEN(POD(m))))
#ifdef F_SETTLED_WHEN_GONE
#define SETTLED(l, e) ((COUNTS(l, FIRST(e)) || MS(l, FIRST(e)) == kLost) && (COUNTS(l, LAST(e)) || MS(l, LAST(e)) == kLost))
#else
#define SETTLED(l, e)                                      \
  ((COUNTS(l, FIRST(e)) && COUNTS(l, LAST(e))) ||           \
   (NO_MEMBER(l, FIRST(e)) && NO_MEMBER(l, LAST(e))) ||     \
   (e == 1 && MS(l, 2) == kElsewhere))
#endif

/* One step of a member. A read (GET, or an answer, which tells the same) and what follows from it
 * are one step; what is sent acts later. */
#define MEMBER(l, m)                                                                              \
  :: d_step { phase[l] == kRun && S(STORED(l), ENTRY(m)) && R(STORED(l), m) == kGone &&            \
              N(STORED(l), m) && MS(l, m) != kLost && MS(l, m) != kFreed && MS(l, m) != kElsewhere -> \
              printf("%d finds pod %d lost\n", l, POD(m)); \
              MS(l, m) = kLost }                                                                  \
  :: d_step { phase[l] == kRun && MS(l, m) == kNew -> MS(l, m) = kOpen; PostBinding(l, m) }        \
  :: d_step { phase[l] == kRun && (MS(l, m) == kOpen || MS(l, m) == kMoving) &&                    \
              R(STORED(l), m) && node[POD(m)] ->                                                  \
              SEEN_BOUND(l, m) }                                                                  \
  UNBOUND(l, m) ENDING(l, m)                                                                      \
  :: d_step { IDLE(l) && MS(l, m) == kOpen && S(STORED(l), ENTRY(m)) == kBind &&                   \
              R(STORED(l), m) == kOld && node[POD(m)] == 0 && !ENDS(POD(m)) -> AMEND(l, m) }      \
  MOVE(l, m)                                                                                      \
  :: d_step { phase[l] == kRun && MS(l, m) == kUndo && R(STORED(l), m) && node[POD(m)] &&          \
              !OUR_TO_DELETE(POD(m), N(STORED(l), m)) -> MS(l, m) = kElsewhere }                          \
  :: d_step { phase[l] == kRun && MS(l, m) == kUndo && R(STORED(l), m) && !deletes[POD(m)] &&      \
              OUR_TO_DELETE(POD(m), N(STORED(l), m)) && !ENDS(POD(m)) -> UNDO_BOUND(l, m) }                               \
  :: d_step { phase[l] == kRun && MS(l, m) == kUndo && node[POD(m)] == 0 &&                        \
              FREES(R(STORED(l), m)) -> printf("%d finds pod %d free\n", l, POD(m)); MS(l, m) = kFreed; MET(touched, true) }

/* One that is terminating counts for nothing; without a node it will not get one; given up, it is
 * not deleted again, and its node is free when it is gone. */
#ifdef TERMINATING
#define ENDING(l, m)                                                                              \
  :: d_step { phase[l] == kRun && MS(l, m) == kBound && R(STORED(l), m) && ENDS(POD(m)) ->         \
              MS(l, m) = kEnding }                                                                \
  :: d_step { phase[l] == kRun && (MS(l, m) == kOpen || MS(l, m) == kMoving || MS(l, m) == kUndo) && \
              R(STORED(l), m) && ENDS(POD(m)) && node[POD(m)] == 0 -> MS(l, m) = kLost }           \
  :: d_step { phase[l] == kRun && MS(l, m) == kUndo && R(STORED(l), m) && ENDS(POD(m)) &&          \
              OUR_TO_DELETE(POD(m), N(STORED(l), m)) -> MS(l, m) = kFreed; SEEN_ON_NODE(l, m) }
#else
#define ENDING(l, m)
#endif
inline SEEN_ON_NODE(l, m) {
  if
  :: !BLIND(l) -> VN(l, POD(m)) = node[POD(m)]
  :: else
  fi
}
#ifdef F_GET_FREES
#define FREES(r) ((r) != kGone)
#else
#define FREES(r) ((r) == kOld)
#endif

inline SEEN_BOUND(l, m) {
  MET(ambiguous_was_bound, node[POD(m)] == N(STORED(l), m));
  printf("%d finds pod %d bound\n", l, POD(m));
  MET(foreign_binder, ALIEN(POD(m)) && node[POD(m)] != N(STORED(l), m));
  MET(foreign_binder_at_its_node, ALIEN(POD(m)) && node[POD(m)] == N(STORED(l), m));
  MS(l, m) = (HERE(POD(m), N(STORED(l), m)) -> (ENDS(POD(m)) -> kEnding : kBound) : kElsewhere);
  if
  :: !BLIND(l) -> VN(l, POD(m)) = node[POD(m)]; VR(l, POD(m)) = AS_SEEN(POD(m))
  :: else
  fi
}

#ifdef MARKS
#define UNBOUND(l, m)                                                                             \
  :: d_step { phase[l] == kRun && MS(l, m) == kOpen && R(STORED(l), m) == kNow && node[POD(m)] == 0 && \
              BINDINGS(POD(m), N(STORED(l), m)) -> MET(ambiguous_was_not_bound, true) }
#else
#define UNBOUND(l, m)
#endif

/* The page names the new resourceVersion, then the Binding goes out again. */
inline AMEND(l, m) {
#ifdef F_NEWER_VERSION
  R(STORED(l), m) = kNow;
  PostBinding(l, m)
#else
  Copy(STORED(l), SENT(l));
  R(SENT(l), m) = kNow;
  Send(l, kAmend, m)
#endif
}

inline UNDO_BOUND(l, m) {
  if
#ifndef F_NO_ID_RULE
  :: journal[POD(m)] > I(STORED(l), ENTRY(m)) ->
     /* A later leader bound it: so this one is deposed, or nobody can lead any more. */
     assert(OUTDATED(l));
     Restart(l)
#endif
  :: else ->
     printf("%d sends a DELETE for pod %d\n", l, POD(m));
     deletes[POD(m)] = true;
     if
     :: !BLIND(l) -> VN(l, POD(m)) = node[POD(m)]; VR(l, POD(m)) = kNow
     :: else
     fi
  fi
}

#ifdef MOVES
#define MOVE(l, m)                                                                                \
  :: d_step { phase[l] == kRun && (MS(l, m) == kOpen || MS(l, m) == kHold) &&                      \
              S(STORED(l), ENTRY(m)) == kBind && R(STORED(l), m) && node[POD(m)] == 0 ->           \
              MS(l, m) = kMoving; PatchTouch(l, m) }                                              \
  MOVE_TO(l, m, 1) MOVE_TO(l, m, 2) MOVE_TO(l, m, 3)
#define MOVE_TO(l, m, n)                                                                          \
  :: d_step { IDLE(l) && MS(l, m) == kMoving && R(STORED(l), m) == kOld && node[POD(m)] == 0 &&    \
              FREE(l, n) ->                                                                       \
              Copy(STORED(l), SENT(l)); N(SENT(l), m) = n; R(SENT(l), m) = kNow; Send(l, kMove, m) }
#else
#define MOVE(l, m)
#endif

/* The gang on two nodes. */
#define GANG(l, e, x, y)                                                                          \
  :: d_step { CAN_DECIDE(l) && ROOM(l, e) && PENDING(l, 0) && PENDING(l, 1) && FREE(l, x) &&       \
              FREE(l, y) && (decided || x < y) -> decided = true; Promises(l, x); Promises(l, y);   \
              Admit(l, e, kBind, x, y) }

#ifdef F_SINGLE_UNJOURNALLED
#define ADMIT_SINGLE(l, n)                                                                        \
  S(STORED(l), 1) = kBind; I(STORED(l), 1) = next_id[l]; N(STORED(l), 2) = n;                      \
  R(STORED(l), 2) = VR(l, 2); MS(l, 2) = kOpen; next_id[l]++; PostBinding(l, 2)
#define PUT_OF(e) (e != 1)
#else
#define ADMIT_SINGLE(l, n) Admit(l, 1, kBind, n, 0)
#define PUT_OF(e) true
#endif
#define SINGLE(l, n)                                                                              \
  :: d_step { CAN_DECIDE(l) && S(STORED(l), 1) == 0 && PENDING(l, 2) && FREE(l, n) && \
              (decided || n == 1) -> decided = true; Promises(l, n); ADMIT_SINGLE(l, n) }

/* What is left of a gang that no entry names: completed around the member that runs, or undone. */
#define COMPLETE(l, p, q, n)                                                                      \
  :: d_step { R7(l) && !created[l] && journal[p] > lost_id && RUNS(l, p) && PENDING(l, q) && FREE(l, n) ->                 \
              Promises(l, n);                                                                     \
              if :: p == 0 -> Admit(l, 0, kBind, VN(l, 0), n) :: else -> Admit(l, 0, kBind, n, VN(l, 1)) fi }
#define UNDO_HALF(l, p)                                                                           \
  :: d_step { R7(l) && BELONGS(l, p) ->                                                           \
              if :: p == 0 -> Admit(l, 0, kAbandon, VN(l, 0), 0) :: else -> Admit(l, 0, kAbandon, 0, VN(l, 1)) fi }

#define ENTRY_STEPS(l, e)                                                                         \
  :: d_step { IDLE(l) && PUT_OF(e) && S(STORED(l), e) == kBind -> Change(l, kGiveUp, e, e, kAbandon) } \
  :: d_step { IDLE(l) && PUT_OF(e) && S(STORED(l), e) == kBind && SETTLED(l, e) -> Remove(l, kSettle, e) } \
  :: d_step { IDLE(l) && PUT_OF(e) && S(STORED(l), e) == kAbandon && UNDONE(l, e) -> Remove(l, kUndone, e) } \
  TAKE_BACK(l, e)
#ifdef F_ABANDON_TAKEN_BACK
#define BOUND_HERE(l, m) (R(STORED(l), m) && node[POD(m)] == N(STORED(l), m))
#define TAKE_BACK(l, e)                                                                           \
  :: d_step { IDLE(l) && e == 0 && S(STORED(l), e) == kAbandon && BOUND_HERE(l, 0) && BOUND_HERE(l, 1) -> \
              Change(l, kTakeBack, e, e, kBind) }
#else
#define TAKE_BACK(l, e)
#endif

/* The watch delivers what the pod is now. */
#define WATCH(l, p)                                                                               \
  :: d_step { phase[l] == kRun && !BLIND(l) && (VR(l, p) != AS_SEEN(p) || VN(l, p) != node[p]) -> \
              printf("%d watches pod %d: node %d\n", l, p, node[p]); VN(l, p) = node[p]; VR(l, p) = AS_SEEN(p) }

#ifdef STANDBY
#define FOLLOW(l, p)                                                                              \
  :: d_step { ((phase[l] == kStart && warm[l]) || phase[l] == kWaiting) &&                         \
              (BEHIND(l, p) || VR(l, p) != AS_SEEN(p) || VN(l, p) != node[p]) ->                   \
              printf("%d, waiting, watches pod %d: node %d\n", l, p, node[p]);                      \
              VN(l, p) = node[p]; VR(l, p) = AS_SEEN(p); BEHIND(l, p) = false }
#endif

inline ReadPage(l) {
  begun = true;
  phase[l] = kFencing;
  lag[l] = 0;
  if
  :: page_here -> Copy(PAGE, STORED(l)); Copy(PAGE, SENT(l)); Send(l, kFence, 0)
  :: else -> created[l] = true; Send(l, kCreate, 0)
  fi
}

inline SameContent(h, k) {
  yes_ = true;
  for (i_ : 0 .. ENTRIES - 1) { yes_ = yes_ && S(h, i_) == S(k, i_) && I(h, i_) == I(k, i_) }
  for (i_ : 0 .. MEMBERS - 1) { yes_ = yes_ && N(h, i_) == N(k, i_) && R(h, i_) == R(k, i_) };
  skip
}

/* No answer: the page is read. Own holder, sequence and entries = stored. */
inline Ask(l) {
#ifdef F_ENTRIES_NOT_COMPARED
  yes_ = true;
#else
  SameContent(PAGE, SENT(l));
#endif
  if
  :: page_here && lag[l] == 1 && holder == l && yes_ -> Finish(l)
  :: else -> Deposed(l)
  fi
}

proctype Leader(bit l) {
  do
#ifdef F_LIST_BEFORE_FENCE
  :: d_step { phase[l] == kStart && (l == 0 || begun) -> begun = true; ListPods(l); phase[l] = kListed }
  :: d_step { phase[l] == kListed -> ReadPage(l) }
#else
  :: d_step { phase[l] == kStart && (l == 0 || begun) && IS_WARM(l) -> ReadPage(l) }
#endif
#ifdef STANDBY
  :: d_step { phase[l] == kStart && !warm[l] && (l == 0 || begun) -> ListPods(l); warm[l] = true }
  :: d_step { phase[l] == kWaiting && !BEHIND(l, 0) && !BEHIND(l, 1) && !BEHIND(l, 2) -> TakeOver(l) }
  FOLLOW(l, 0)
  FOLLOW(l, 1)
  FOLLOW(l, 2)
#endif
  :: d_step { put[l] == kStored -> Finish(l) }
  :: d_step { put[l] == kStored && lag[l] > 1 -> Deposed(l) }
  :: d_step { phase[l] == kRun && put[l] == kIdle && lag[l] ->
     MET(deposed, true);
     Restart(l) }
  :: d_step { put[l] == kRefused -> Ask(l) }
  :: d_step { phase[l] == kTouching && TOUCHED(l, 0) && TOUCHED(l, 1) && TOUCHED(l, 2) ->
#ifndef HOLE_STALE_LIST
     ListPods(l);
#endif
     TakeOver(l) }
  /* The page that was made anew says so no more. */
  :: d_step { IDLE(l) && untouched -> Copy(STORED(l), SENT(l)); Send(l, kTouched, 0) }
  GANG(l, 0, 1, 2)
  GANG(l, 0, 2, 1)
#ifdef MOVES
  GANG(l, 0, 1, 3)
#endif
#ifdef F_DECIDE_EARLY
  GANG(l, 2, 1, 2)
  GANG(l, 2, 2, 1)
  ENTRY_STEPS(l, 2)
  MEMBER(l, 3)
  MEMBER(l, 4)
#endif
  SINGLE(l, 1)
  SINGLE(l, 2)
  COMPLETE(l, 0, 1, 1)
  COMPLETE(l, 0, 1, 2)
  COMPLETE(l, 1, 0, 1)
  COMPLETE(l, 1, 0, 2)
  UNDO_HALF(l, 0)
  UNDO_HALF(l, 1)
  ENTRY_STEPS(l, 0)
  ENTRY_STEPS(l, 1)
  MEMBER(l, 0)
  MEMBER(l, 1)
  MEMBER(l, 2)
  WATCH(l, 0)
  WATCH(l, 1)
  WATCH(l, 2)
  od
}

/* ---- The network: what is under way acts, or never does ---------------------------------------*/

#define ACT_BINDING(p, n, e) \
  :: d_step { BINDINGS(p, n) & (1 << e) -> BindingActs(p, n, e) }
#if IDS > 2
#define ACT_BINDINGS(p, n) ACT_BINDING(p, n, 1) ACT_BINDING(p, n, 2) ACT_BINDING(p, n, 3)
#else
#define ACT_BINDINGS(p, n) ACT_BINDING(p, n, 1) ACT_BINDING(p, n, 2)
#endif
#ifdef MOVES
#define ACT_POD(p) ACT_BINDINGS(p, 1) ACT_BINDINGS(p, 2) ACT_BINDINGS(p, 3) ACT_OTHERS(p)
#else
#define ACT_POD(p) ACT_BINDINGS(p, 1) ACT_BINDINGS(p, 2) ACT_OTHERS(p)
#endif
#define ACT_OTHERS(p)                              \
  :: d_step { touches[p] -> TouchActs(p) }         \
  :: d_step { deletes[p] -> DeleteActs(p) }

#ifdef F_FENCE_CHANGES_NOTHING
#define FENCE(l) if :: what[l] == kFence -> lag[l]++; put[l] = kStored :: else -> STORE(l) fi
#else
#define FENCE(l) STORE(l)
#endif
#define STORE(l) PutActs(l, SENT(l), what[l], arg[l])
#define ACT_PUT(l)                                                                                \
  :: d_step { put[l] == kFlying && what[l] == kCreate && page_here -> Forget(l); phase[l] = kStart } \
  :: d_step { put[l] == kFlying && (what[l] != kCreate || !page_here) -> FENCE(l) }               \
  :: d_step { orphan[l] -> a_ = orphan[l]; b_ = orphan_arg[l]; PutActs(l, ORPHAN(l), a_, b_) }

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

/* ---- Everybody else ---------------------------------------------------------------------------*/

#define OTHERS(p)                                                                                 \
  :: d_step { patches && live[p] && node[p] == 0 -> SPEND(patches, PATCHES); printf("pod %d is patched by others\n", p); Changed(p) }                       \
  :: d_step { kills && live[p] && !ENDS(p) -> SPEND(kills, KILLS); printf("pod %d is deleted by others\n", p); Deleted(p) } \
  ENDING_BY_OTHERS(p)                                                                             \
  FOREIGN_TO(p, 1) FOREIGN_TO(p, 2)                                                               \
  :: d_step { !live[p] -> printf("pod %d is made again\n", p); live[p] = true }
#ifdef TERMINATING
#define ENDING_BY_OTHERS(p)                                                                       \
  :: d_step { kills && live[p] && node[p] == 0 && !ENDS(p) ->                                      \
              SPEND(kills, KILLS); printf("pod %d is held while it is deleted\n", p); ending[p] = true; Changed(p) } \
  :: d_step { ENDS(p) -> printf("pod %d has ended\n", p); Ended(p) }
#else
#define ENDING_BY_OTHERS(p)
#endif
#if FOREIGN
#define FOREIGN_TO(p, n)                                                                          \
  :: d_step { foreign && live[p] && !ENDS(p) && node[p] == 0 -> SPEND(foreign, FOREIGN); ForeignBinding(p, n) }
#else
#define FOREIGN_TO(p, n)
#endif
inline ForeignBinding(p, n) {
  printf("pod %d is bound to node %d by others\n", p, n);
  node[p] = n;
#ifdef HOLE_FOREIGN_AT_ITS_NODE
  for (k_ : 0 .. MEMBERS - 1) { was_bound[k_] = was_bound[k_] || (POD(k_) == p && N(PAGE, k_) == n && R(PAGE, k_)) }
#endif
  Changed(p)
}
#define QUIET(p)                                                                                  \
  (bindings[(p) * NODES] == 0 && bindings[(p) * NODES + 1] == 0 && !touches[p] && !deletes[p])
/* Half a gang, a leader that is up to date, and nothing that it would ever do about it. */
#define STUCK(l)                                                                                  \
  (CAN_DECIDE(l) && lag[l] == 0 && page_here && ROOM(l, 0) && !whole[0] && !whole[1] &&             \
   (STAYS(0) != STAYS(1)) && VIEW_IS_TRUE(l, 0) && VIEW_IS_TRUE(l, 1) && QUIET(0) && QUIET(1) && !R7(l))
#define STAYS(p) (node[p] != 0 && !ENDS(p) && !ALIEN(p))
#define VIEW_IS_TRUE(l, p) (VN(l, p) == node[p] && (!ENDS(p) || VR(l, p) == kGone))

proctype World() {
  do
  OTHERS(0)
  OTHERS(1)
  OTHERS(2)
  :: d_step { losses && page_here ->
     printf("the page is deleted by others\n");
     losses--;
     lost = true;
     page_here = false;
#ifdef HOLE_ID_AGAIN_AFTER_LOSS
     last_id = 0;
#endif
#ifndef HOLE_COMPLETED_AFTER_LOSS
     lost_id = last_id;
#endif
     untouched = false;
     holder = 0;
     Clear(PAGE);
     for (k_ : 0 .. MEMBERS - 1) { was_bound[k_] = false }
     for (k_ : 0 .. 1) {
       if
       :: phase[k_] != kStart && lag[k_] < 2 -> lag[k_] = lag[k_] + 1
       :: else
       fi;
       if
       :: put[k_] == kFlying && what[k_] != kCreate -> Refuse(k_, 9)
       :: else -> Outdate(k_)
       fi;
       orphan[k_] = 0;
       orphan_arg[k_] = 0;
       Clear(ORPHAN(k_))
     };
     skip }
  :: d_step { restarts && phase[0] != kStart -> SPEND(restarts, RESTARTS); Restart(0) }
  :: d_step { restarts && phase[1] != kStart -> SPEND(restarts, RESTARTS); Restart(1) }
  /* 2: a part of a gang is never left. */
  :: d_step { STUCK(0) || STUCK(1) -> assert(false) }
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
