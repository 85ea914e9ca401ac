package io.weir.server.grpc;

/**
 * Something that can be called.
 *
 * @param takes how many messages a call brings
 * @param answer what is done about a message: answers the call, now or later
 */
public record GrpcMethod(Takes takes, Answer answer) {
  /** How many messages a call brings. */
  public enum Takes {
    /** Exactly one, which is answered when the caller has said all. */
    ONE,
    /** Any number; each is answered as it comes, and the call ends when the caller ends it. */
    MANY
  }

  /** What is done about a message. */
  @FunctionalInterface
  public interface Answer {
    /**
     * Answers.
     *
     * @param message valid until this method returns
     * @throws GrpcException to end the call with its status
     */
    void to(GrpcCall call, ProtoReader message);
  }

  /** A method that takes one message. */
  public static GrpcMethod one(Answer answer) {
    return new GrpcMethod(Takes.ONE, answer);
  }

  /** A method that takes any number of messages. */
  public static GrpcMethod many(Answer answer) {
    return new GrpcMethod(Takes.MANY, answer);
  }
}
