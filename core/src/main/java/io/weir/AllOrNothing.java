package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several charges, on several limiters and keys, made together or not at all. */
abstract class AllOrNothing {
  /*
   * In this process every charge is first asked whether it would pass; if one would not, nothing is
   * taken. Then they are taken one after the other, and should somebody else have been faster on one
   * of them, what was taken before it is given back to the same entry, window or epoch. So never too
   * much is granted; at worst, while two such requests race for the last permit, somebody is told no
   * by a charge that is given back a moment later.
   *
   * Where a store is elsewhere, asking first would double the way: all are taken at once, and if one
   * is refused, the others are given back. A refusal that is known here already is not worth the way
   * at all.
   *
   * Should a store fail on one charge, it is not known whether that one was taken, and it is not
   * given back; the others are.
   *
   * Written once, over stages: a store in memory completes them at once, so that the same code
   * serves callers that block and those that do not.
   */

  private final List<Charge> charges;
  private final List<Receipts.Taken> taken = new ArrayList<>();

  private AllOrNothing(List<Charge> charges) {
    this.charges = charges;
  }

  static Receipts take(List<Charge> charges) {
    if (charges.size() == 1) {
      return takeOne(charges.get(0));
    }
    if (!charges.stream().allMatch(charge -> charge.limiter().buckets().mayWait())) {
      return takeWithoutWaiting(charges);
    }
    try {
      return takeAsync(charges).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static Receipts takeWithoutWaiting(List<Charge> charges) {
    List<Receipts.Taken> taken = new ArrayList<>();
    List<Decision> decisions = new ArrayList<>();
    for (Charge charge : charges) {
      Buckets buckets = charge.limiter().buckets();
      Buckets.Receipt receipt = buckets.take(charge.key(), charge.cost());
      decisions.add(receipt.decision());
      if (receipt.decision().allowed()) {
        taken.add(new Receipts.Taken(buckets, receipt));
      }
    }
    if (taken.size() == charges.size()) {
      return Receipts.granted(taken);
    }
    taken.forEach(each -> each.buckets().settle(each.receipt(), 0));
    return Receipts.refused(decisions);
  }

  static CompletionStage<Receipts> takeAsync(List<Charge> charges) {
    if (charges.isEmpty()) {
      throw new IllegalArgumentException("charges must not be empty");
    }
    if (charges.size() == 1) {
      return takeOneAsync(charges.get(0));
    }
    List<Charge> all = List.copyOf(charges);
    boolean elsewhere = all.stream().anyMatch(charge -> charge.limiter().buckets().isRemote());
    return elsewhere ? new AtOnce(all).take() : new OneByOne(all).take();
  }

  private static Receipts takeOne(Charge charge) {
    Buckets buckets = charge.limiter().buckets();
    return alone(buckets, buckets.take(charge.key(), charge.cost()));
  }

  private static CompletionStage<Receipts> takeOneAsync(Charge charge) {
    Buckets buckets = charge.limiter().buckets();
    return buckets
        .takeAsync(charge.key(), charge.cost())
        .thenApply(receipt -> alone(buckets, receipt));
  }

  private static Receipts alone(Buckets buckets, Buckets.Receipt receipt) {
    return receipt.decision().allowed()
        ? Receipts.granted(List.of(new Receipts.Taken(buckets, receipt)))
        : Receipts.refused(List.of(receipt.decision()));
  }

  abstract CompletionStage<Receipts> take();

  final List<Charge> charges() {
    return charges;
  }

  final List<Receipts.Taken> taken() {
    return taken;
  }

  final void note(Buckets buckets, Buckets.Receipt receipt) {
    taken.add(new Receipts.Taken(buckets, receipt));
  }

  /** Limits that count rejected requests note this one. */
  static CompletionStage<?> reject(Charge charge) {
    return charge.limiter().buckets().rejectAsync(charge.key(), charge.cost());
  }

  static CompletionStage<Decision> peek(Charge charge) {
    return charge.limiter().buckets().peekAsync(charge.key(), charge.cost());
  }

  static CompletionStage<?> giveBack(Receipts.Taken charge) {
    return charge.buckets().settleAsync(charge.receipt(), 0);
  }

  /** In this process. */
  private static final class OneByOne extends AllOrNothing {
    private @Nullable Decision refusal;

    OneByOne(List<Charge> charges) {
      super(charges);
    }

    @Override
    CompletionStage<Receipts> take() {
      return peekAll()
          .thenCompose(
              peeked -> {
                Decision together = Decision.together(peeked);
                if (together.allowed()) {
                  return takeAll();
                }
                if (together.neverFits()) {
                  return CompletableFuture.completedStage(Receipts.refused(peeked));
                }
                return noteRefusal(charges())
                    // What was missing may be there by now, but nothing was taken.
                    .thenApply(after -> Decision.together(after).allowed() ? peeked : after)
                    .thenApply(Receipts::refused);
              });
    }

    private CompletionStage<List<Decision>> peekAll() {
      List<Decision> peeked = new ArrayList<>(charges().size());
      return inTurn(charges(), charge -> peek(charge).thenAccept(peeked::add))
          .thenApply(nothing -> peeked);
    }

    private CompletionStage<Receipts> takeAll() {
      return inTurn(charges(), this::take)
          .handle((nothing, failure) -> failure)
          .thenCompose(
              failure -> {
                if (failure != null) {
                  return giveBack().thenCompose(nothing -> CompletableFuture.failedStage(failure));
                }
                Decision refused = refusal;
                return refused == null
                    ? CompletableFuture.completedStage(Receipts.granted(taken()))
                    : giveBack().thenCompose(nothing -> refuse(refused));
              });
    }

    private CompletionStage<?> take(Charge charge) {
      if (refusal != null) {
        return CompletableFuture.completedStage(null);
      }
      Buckets buckets = charge.limiter().buckets();
      return buckets
          .takeAsync(charge.key(), charge.cost())
          .thenAccept(
              receipt -> {
                if (receipt.decision().allowed()) {
                  note(buckets, receipt);
                } else {
                  refusal = receipt.decision();
                }
              });
    }

    private CompletionStage<?> giveBack() {
      return inTurn(taken(), AllOrNothing::giveBack);
    }

    /** After {@code decision} on the charge that came after those that were taken. */
    private CompletionStage<Receipts> refuse(Decision decision) {
      int refusing = taken().size();
      List<Charge> others = new ArrayList<>(charges());
      others.remove(refusing); // its store has noted the refusal by itself
      return noteRefusal(others)
          .thenApply(
              after -> {
                after.set(refusing, decision);
                return Receipts.refused(after);
              });
    }

    private CompletionStage<List<Decision>> noteRefusal(List<Charge> unaware) {
      return inTurn(unaware, AllOrNothing::reject).thenCompose(nothing -> peekAll());
    }

    private static <T> CompletionStage<?> inTurn(
        List<T> list, Function<T, CompletionStage<?>> step) {
      CompletionStage<?> all = CompletableFuture.completedStage(null);
      for (T each : list) {
        all = all.thenCompose(nothing -> step.apply(each));
      }
      return all;
    }
  }

  /** Where at least one store is elsewhere: everything is on its way before an answer is there. */
  private static final class AtOnce extends AllOrNothing {
    AtOnce(List<Charge> charges) {
      super(charges);
    }

    @Override
    CompletionStage<Receipts> take() {
      if (charges().stream().anyMatch(AtOnce::neverFits)) {
        return together(charges().stream().map(AllOrNothing::peek).toList())
            .thenApply(Receipts::refused);
      }
      List<@Nullable Decision> known = new ArrayList<>(charges().size());
      boolean isRefused = false;
      for (Charge charge : charges()) {
        Decision refusal = charge.limiter().buckets().knownRefusal(charge.key(), charge.cost());
        known.add(refusal);
        isRefused |= refusal != null;
      }
      return isRefused ? refuseBy(known) : takeAll();
    }

    private static boolean neverFits(Charge charge) {
      return charge.limiter().limits().stream().anyMatch(limit -> charge.cost() > limit.capacity());
    }

    private CompletionStage<Receipts> refuseBy(List<@Nullable Decision> known) {
      List<CompletionStage<Decision>> decisions = new ArrayList<>(known.size());
      List<CompletionStage<?>> notes = new ArrayList<>();
      for (int i = 0; i < known.size(); i++) {
        Charge charge = charges().get(i);
        Decision refusal = known.get(i);
        if (refusal == null) {
          notes.add(reject(charge));
          decisions.add(charge.limiter().buckets().glanceAsync(charge.key(), charge.cost()));
        } else {
          decisions.add(CompletableFuture.completedStage(refusal));
        }
      }
      return after(notes).thenCompose(nothing -> together(decisions)).thenApply(Receipts::refused);
    }

    private CompletionStage<Receipts> takeAll() {
      List<CompletableFuture<Buckets.Receipt>> takes = new ArrayList<>(charges().size());
      for (Charge charge : charges()) {
        takes.add(
            charge
                .limiter()
                .buckets()
                .takeAsync(charge.key(), charge.cost())
                .toCompletableFuture());
      }
      return CompletableFuture.allOf(takes.toArray(CompletableFuture[]::new))
          .handle((nothing, failure) -> failure)
          .thenCompose(failure -> conclude(takes, failure));
    }

    private CompletionStage<Receipts> conclude(
        List<CompletableFuture<Buckets.Receipt>> takes, @Nullable Throwable failure) {
      boolean isRefused = failure != null;
      for (int i = 0; i < takes.size(); i++) {
        CompletableFuture<Buckets.Receipt> take = takes.get(i);
        if (!take.isCompletedExceptionally()) {
          boolean allowed = take.join().decision().allowed();
          isRefused |= !allowed;
          if (allowed) {
            note(charges().get(i).limiter().buckets(), take.join());
          }
        }
      }
      if (!isRefused) {
        return CompletableFuture.completedStage(Receipts.granted(taken()));
      }
      CompletionStage<?> givenBack = after(taken().stream().map(AllOrNothing::giveBack).toList());
      return failure == null
          ? refuse(takes, givenBack)
          : givenBack.thenCompose(nothing -> CompletableFuture.failedStage(failure));
    }

    /** Notes the refusal, and looks how the others stand, right behind what is given back. */
    private CompletionStage<Receipts> refuse(
        List<CompletableFuture<Buckets.Receipt>> takes, CompletionStage<?> givenBack) {
      List<CompletionStage<?>> before = new ArrayList<>(List.of(givenBack));
      List<CompletionStage<Decision>> decisions = new ArrayList<>(takes.size());
      for (int i = 0; i < takes.size(); i++) {
        Decision decision = takes.get(i).join().decision();
        if (decision.allowed()) {
          before.add(reject(charges().get(i)));
          decisions.add(peek(charges().get(i)));
        } else {
          decisions.add(CompletableFuture.completedStage(decision));
        }
      }
      return after(before).thenCompose(nothing -> together(decisions)).thenApply(Receipts::refused);
    }

    private static CompletionStage<?> after(List<? extends CompletionStage<?>> stages) {
      return CompletableFuture.allOf(
          stages.stream()
              .map(CompletionStage::toCompletableFuture)
              .toArray(CompletableFuture[]::new));
    }

    private static CompletionStage<List<Decision>> together(
        List<CompletionStage<Decision>> decisions) {
      return after(decisions)
          .thenApply(
              nothing ->
                  decisions.stream().map(each -> each.toCompletableFuture().join()).toList());
    }
  }
}
