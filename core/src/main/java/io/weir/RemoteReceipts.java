package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Several charges, at least one of them on a remote limiter, made together or not at all.
 *
 * <p>All charges are sent before the first response arrives. If the request is refused, what was
 * taken is given back. A refusal that is already known locally is not sent at all.
 */
final class RemoteReceipts {
  private final Charges charges;
  private final Decision[] decisions;
  private final Buckets.@Nullable Receipt[] receipts;

  RemoteReceipts(Charges charges) {
    this.charges = charges;
    this.decisions = new Decision[charges.size()];
    this.receipts = new Buckets.Receipt[charges.size()];
  }

  CompletionStage<Receipts> take() {
    if (neverFit()) {
      List<CompletionStage<?>> peeks = new ArrayList<>(decisions.length);
      for (int i = 0; i < decisions.length; i++) {
        peeks.add(peek(i));
      }
      return refuseAfter(peeks);
    }
    @Nullable Decision[] known = new Decision[decisions.length];
    return isKnownToBeRefused(known) ? refuseBy(known) : takeAll();
  }

  private boolean neverFit() {
    return charges.all().stream().anyMatch(RemoteReceipts::neverFits)
        || (!charges.anyOf().isEmpty()
            && charges.anyOf().stream().allMatch(RemoteReceipts::neverFits));
  }

  private static boolean neverFits(Charge charge) {
    for (Limit limit : charge.limiter().limits()) {
      if (charge.cost() > limit.capacity()) {
        return true;
      }
    }
    return false;
  }

  private boolean isKnownToBeRefused(@Nullable Decision[] known) {
    int all = charges.all().size();
    boolean isRefused = false;
    boolean isChoice = all == known.length;
    for (int i = 0; i < known.length; i++) {
      Charge charge = charges.get(i);
      known[i] = charge.limiter().buckets().knownRefusal(charge.key(), charge.cost());
      isRefused |= i < all && known[i] != null;
      isChoice |= i >= all && known[i] == null;
    }
    return isRefused || !isChoice;
  }

  private CompletionStage<Receipts> refuseBy(@Nullable Decision[] known) {
    List<CompletionStage<?>> notes = new ArrayList<>();
    for (int i = 0; i < known.length; i++) {
      if (known[i] == null) {
        notes.add(reject(charges.get(i)));
      }
    }
    List<CompletionStage<?>> glances = new ArrayList<>();
    for (int i = 0; i < known.length; i++) {
      Decision refusal = known[i];
      if (refusal == null) {
        glances.add(glance(i));
      } else {
        decisions[i] = refusal;
      }
    }
    return after(notes).thenCompose(nothing -> refuseAfter(glances));
  }

  private CompletionStage<Receipts> takeAll() {
    List<CompletionStage<?>> takes = new ArrayList<>(decisions.length);
    for (int i = 0; i < decisions.length; i++) {
      takes.add(charges.get(i).isLook() ? peek(i) : take(i));
    }
    return after(takes).handle((nothing, failure) -> failure).thenCompose(this::conclude);
  }

  private CompletionStage<Receipts> conclude(@Nullable Throwable failure) {
    if (failure != null) {
      return giveBack().thenCompose(nothing -> CompletableFuture.failedStage(failure));
    }
    return charges.areGranted(decisions)
        ? CompletableFuture.completedStage(Receipts.granted(charges, decisions, receipts))
        : refuse();
  }

  /**
   * Records the refusal, and reads the status of the charges that allowed, right after what they
   * took is given back.
   */
  private CompletionStage<Receipts> refuse() {
    List<CompletionStage<?>> before = new ArrayList<>();
    List<CompletionStage<?>> peeks = new ArrayList<>();
    before.add(giveBack());
    for (int i = 0; i < decisions.length; i++) {
      if (decisions[i].allowed() && !charges.get(i).isLook()) {
        before.add(reject(charges.get(i)));
        peeks.add(peek(i));
      }
    }
    return after(before).thenCompose(nothing -> refuseAfter(peeks));
  }

  private CompletionStage<Receipts> refuseAfter(List<CompletionStage<?>> looks) {
    return after(looks).thenApply(nothing -> Receipts.refused(charges, decisions));
  }

  private CompletionStage<?> take(int i) {
    Charge charge = charges.get(i);
    return charge
        .limiter()
        .buckets()
        .takeAsync(charge.key(), charge.cost())
        .thenAccept(
            receipt -> {
              decisions[i] = receipt.decision();
              receipts[i] = receipt.decision().allowed() ? receipt : null;
            });
  }

  private CompletionStage<?> peek(int i) {
    Charge charge = charges.get(i);
    return note(i, charge.limiter().buckets().peekAsync(charge.key(), charge.cost()));
  }

  /** Reads the status of a charge of a request that is refused anyway. */
  private CompletionStage<?> glance(int i) {
    Charge charge = charges.get(i);
    return note(i, charge.limiter().buckets().glanceAsync(charge.key(), charge.cost()));
  }

  private CompletionStage<?> note(int i, CompletionStage<Decision> stage) {
    return stage.thenAccept(decision -> decisions[i] = decision);
  }

  /** Gives back what was taken. What does not reach the store is lost until it expires. */
  private CompletionStage<?> giveBack() {
    List<CompletionStage<?>> givenBack = new ArrayList<>();
    for (int i = 0; i < receipts.length; i++) {
      Buckets.Receipt receipt = receipts[i];
      if (receipt != null) {
        Buckets buckets = charges.get(i).limiter().buckets();
        givenBack.add(buckets.settleAsync(receipt, 0).exceptionally(lost -> null));
      }
    }
    return after(givenBack);
  }

  /** Records this request where a limit counts rejected ones, unless the charge only looks. */
  private static CompletionStage<?> reject(Charge charge) {
    return charge.isLook()
        ? CompletableFuture.completedStage(null)
        : charge.limiter().buckets().rejectAsync(charge.key(), charge.cost());
  }

  private static CompletionStage<?> after(List<CompletionStage<?>> stages) {
    return CompletableFuture.allOf(
        stages.stream()
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new));
  }
}
