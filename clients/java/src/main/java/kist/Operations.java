// Written by proto/generate.py from kist.proto: do not edit.
package kist;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Every operation as a method that waits, and as one that gives a future, whose cancelling gives the call up. {@link Client} has them. */
public abstract class Operations {
  Operations() {}

  abstract <R extends Message & Answered> CompletableFuture<R> send(
      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty, CallOptions options);

  abstract <R extends Message & Answered> R ask(
      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty,
      CallOptions options);

  /**
   * Asks whether a daemon is there; needs no grant and leaves no audit record.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer ping(CallOptions... options) {
    return ask(0x0001, "ping", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Asks whether a daemon is there; needs no grant and leaves no audit record.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> pingAsync(CallOptions... options) {
    return send(0x0001, "ping", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * What the daemon is, and which operations it has.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public DescribeReply describe(CallOptions... options) {
    return ask(0x0002, "describe", null, null, DescribeReply::new, false, CallOptions.one(options));
  }

  /**
   * What the daemon is, and which operations it has.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<DescribeReply> describeAsync(CallOptions... options) {
    return send(0x0002, "describe", null, null, DescribeReply::new, false, CallOptions.one(options));
  }

  /**
   * At most 64 of the keys that the caller may list, by label, and whether more follow.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public ListKeysReply listKeys(ListKeysRequest request, CallOptions... options) {
    return ask(0x0003, "listKeys", null, request, ListKeysReply::new, false, CallOptions.one(options));
  }

  /**
   * At most 64 of the keys that the caller may list, by label, and whether more follow.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<ListKeysReply> listKeysAsync(ListKeysRequest request, CallOptions... options) {
    return send(0x0003, "listKeys", null, request, ListKeysReply::new, false, CallOptions.one(options));
  }

  /**
   * One key, with its public key and certificate; nothing of a private or secret key.
   *
   * @param key the key's id
   * @param options at most one, for this call alone
   * @return the answer
   */
  public KeyDescription describeKey(KeyId key, CallOptions... options) {
    return ask(0x0004, "describeKey", KeyId.needed("describeKey", key), null, KeyDescription::new, false, CallOptions.one(options));
  }

  /**
   * One key, with its public key and certificate; nothing of a private or secret key.
   *
   * @param key the key's id
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<KeyDescription> describeKeyAsync(KeyId key, CallOptions... options) {
    return send(0x0004, "describeKey", KeyId.needed("describeKey", key), null, KeyDescription::new, false, CallOptions.one(options));
  }

  /**
   * Random bytes of the daemon's kernel.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public RandomReply random(RandomRequest request, CallOptions... options) {
    return ask(0x0005, "random", null, request, RandomReply::new, false, CallOptions.one(options));
  }

  /**
   * Random bytes of the daemon's kernel.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<RandomReply> randomAsync(RandomRequest request, CallOptions... options) {
    return send(0x0005, "random", null, request, RandomReply::new, false, CallOptions.one(options));
  }

  /**
   * Who the caller is to the daemon, and what it may do now.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public WhoReply who(CallOptions... options) {
    return ask(0x0006, "who", null, null, WhoReply::new, false, CallOptions.one(options));
  }

  /**
   * Who the caller is to the daemon, and what it may do now.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<WhoReply> whoAsync(CallOptions... options) {
    return send(0x0006, "who", null, null, WhoReply::new, false, CallOptions.one(options));
  }

  /**
   * The keyed digest that stands for a value in the audit log.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public AuditDigestReply auditDigest(AuditDigestRequest request, CallOptions... options) {
    return ask(0x0007, "auditDigest", null, request, AuditDigestReply::new, false, CallOptions.one(options));
  }

  /**
   * The keyed digest that stands for a value in the audit log.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<AuditDigestReply> auditDigestAsync(AuditDigestRequest request, CallOptions... options) {
    return send(0x0007, "auditDigest", null, request, AuditDigestReply::new, false, CallOptions.one(options));
  }

  /**
   * Returns if requests are served now, and fails as any other operation would if not; needs no
   * grant and leaves no audit record.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer ready(CallOptions... options) {
    return ask(0x0008, "ready", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Returns if requests are served now, and fails as any other operation would if not; needs no
   * grant and leaves no audit record.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> readyAsync(CallOptions... options) {
    return send(0x0008, "ready", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Verifies a token as Apple requires, without opening it: do not count or compare by the
   * transaction id of one that was only verified [OP-VERIFY-1].
   *
   * @param key the key's id; null for none
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public VerifyPaymentTokenReply verifyPaymentToken(KeyId key, VerifyPaymentTokenRequest request, CallOptions... options) {
    return ask(0x0010, "verifyPaymentToken", key, request, VerifyPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * Verifies a token as Apple requires, without opening it: do not count or compare by the
   * transaction id of one that was only verified [OP-VERIFY-1].
   *
   * @param key the key's id; null for none
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<VerifyPaymentTokenReply> verifyPaymentTokenAsync(KeyId key, VerifyPaymentTokenRequest request, CallOptions... options) {
    return send(0x0010, "verifyPaymentToken", key, request, VerifyPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * Verifies a token as Apple requires, and opens it once.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public OpenPaymentTokenReply openPaymentToken(KeyId key, OpenPaymentTokenRequest request, CallOptions... options) {
    return ask(0x0011, "openPaymentToken", KeyId.needed("openPaymentToken", key), request, OpenPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * Verifies a token as Apple requires, and opens it once.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<OpenPaymentTokenReply> openPaymentTokenAsync(KeyId key, OpenPaymentTokenRequest request, CallOptions... options) {
    return send(0x0011, "openPaymentToken", KeyId.needed("openPaymentToken", key), request, OpenPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * Seals a card for Apple Wallet.
   *
   * @param key the key's id; null for none
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public ProvisionPassReply provisionPass(KeyId key, ProvisionPassRequest request, CallOptions... options) {
    return ask(0x0020, "provisionPass", key, request, ProvisionPassReply::new, false, CallOptions.one(options));
  }

  /**
   * Seals a card for Apple Wallet.
   *
   * @param key the key's id; null for none
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<ProvisionPassReply> provisionPassAsync(KeyId key, ProvisionPassRequest request, CallOptions... options) {
    return send(0x0020, "provisionPass", key, request, ProvisionPassReply::new, false, CallOptions.one(options));
  }

  /**
   * Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public ProvisionTraceReply provisionTrace(ProvisionTraceRequest request, CallOptions... options) {
    return ask(0x0021, "provisionTrace", null, request, ProvisionTraceReply::new, false, CallOptions.one(options));
  }

  /**
   * Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<ProvisionTraceReply> provisionTraceAsync(ProvisionTraceRequest request, CallOptions... options) {
    return send(0x0021, "provisionTrace", null, request, ProvisionTraceReply::new, false, CallOptions.one(options));
  }

  /**
   * A one-time value of the kind that the key's role makes: a network's value from its input, or a
   * person's code.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public SignOtpReply signOtp(KeyId key, SignOtpRequest request, CallOptions... options) {
    return ask(0x0030, "signOtp", KeyId.needed("signOtp", key), request, SignOtpReply::new, false, CallOptions.one(options));
  }

  /**
   * A one-time value of the kind that the key's role makes: a network's value from its input, or a
   * person's code.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<SignOtpReply> signOtpAsync(KeyId key, SignOtpRequest request, CallOptions... options) {
    return send(0x0030, "signOtp", KeyId.needed("signOtp", key), request, SignOtpReply::new, false, CallOptions.one(options));
  }

  /**
   * Checks a person's code, which is accepted once; a wrong one is rejected.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public VerifyOtpReply verifyOtp(KeyId key, VerifyOtpRequest request, CallOptions... options) {
    return ask(0x0031, "verifyOtp", KeyId.needed("verifyOtp", key), request, VerifyOtpReply::new, false, CallOptions.one(options));
  }

  /**
   * Checks a person's code, which is accepted once; a wrong one is rejected.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<VerifyOtpReply> verifyOtpAsync(KeyId key, VerifyOtpRequest request, CallOptions... options) {
    return send(0x0031, "verifyOtp", KeyId.needed("verifyOtp", key), request, VerifyOtpReply::new, false, CallOptions.one(options));
  }

  /**
   * A new secret for a person's authenticator; the codes of the one before end.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public EnrolAuthenticatorReply enrolAuthenticator(KeyId key, EnrolAuthenticatorRequest request, CallOptions... options) {
    return ask(0x0032, "enrolAuthenticator", KeyId.needed("enrolAuthenticator", key), request, EnrolAuthenticatorReply::new, false, CallOptions.one(options));
  }

  /**
   * A new secret for a person's authenticator; the codes of the one before end.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<EnrolAuthenticatorReply> enrolAuthenticatorAsync(KeyId key, EnrolAuthenticatorRequest request, CallOptions... options) {
    return send(0x0032, "enrolAuthenticator", KeyId.needed("enrolAuthenticator", key), request, EnrolAuthenticatorReply::new, false, CallOptions.one(options));
  }

  /**
   * Agrees on a secret with a peer; it stays in the daemon, for one derivation.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public EcdhReply ecdh(KeyId key, EcdhRequest request, CallOptions... options) {
    return ask(0x0040, "ecdh", KeyId.needed("ecdh", key), request, EcdhReply::new, false, CallOptions.one(options));
  }

  /**
   * Agrees on a secret with a peer; it stays in the daemon, for one derivation.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<EcdhReply> ecdhAsync(KeyId key, EcdhRequest request, CallOptions... options) {
    return send(0x0040, "ecdh", KeyId.needed("ecdh", key), request, EcdhReply::new, false, CallOptions.one(options));
  }

  /**
   * Derives a key from a secret, which this uses up; the key stays in the daemon.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public KdfReply kdf(KeyId key, KdfRequest request, CallOptions... options) {
    return ask(0x0041, "kdf", KeyId.needed("kdf", key), request, KdfReply::new, false, CallOptions.one(options));
  }

  /**
   * Derives a key from a secret, which this uses up; the key stays in the daemon.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<KdfReply> kdfAsync(KeyId key, KdfRequest request, CallOptions... options) {
    return send(0x0041, "kdf", KeyId.needed("kdf", key), request, KdfReply::new, false, CallOptions.one(options));
  }

  /**
   * Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public SealReply seal(KeyId key, SealRequest request, CallOptions... options) {
    return ask(0x0042, "seal", KeyId.needed("seal", key), request, SealReply::new, false, CallOptions.one(options));
  }

  /**
   * Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<SealReply> sealAsync(KeyId key, SealRequest request, CallOptions... options) {
    return send(0x0042, "seal", KeyId.needed("seal", key), request, SealReply::new, false, CallOptions.one(options));
  }

  /**
   * Opens an envelope, or ciphertext and tag that others made.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public UnsealReply unseal(KeyId key, UnsealRequest request, CallOptions... options) {
    return ask(0x0043, "unseal", KeyId.needed("unseal", key), request, UnsealReply::new, false, CallOptions.one(options));
  }

  /**
   * Opens an envelope, or ciphertext and tag that others made.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<UnsealReply> unsealAsync(KeyId key, UnsealRequest request, CallOptions... options) {
    return send(0x0043, "unseal", KeyId.needed("unseal", key), request, UnsealReply::new, false, CallOptions.one(options));
  }

  /**
   * Signs a message of up to 64 KiB, or its digest.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public SignReply sign(KeyId key, SignRequest request, CallOptions... options) {
    return ask(0x0044, "sign", KeyId.needed("sign", key), request, SignReply::new, false, CallOptions.one(options));
  }

  /**
   * Signs a message of up to 64 KiB, or its digest.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<SignReply> signAsync(KeyId key, SignRequest request, CallOptions... options) {
    return send(0x0044, "sign", KeyId.needed("sign", key), request, SignReply::new, false, CallOptions.one(options));
  }

  /**
   * Returns if the signature is the key's; it is rejected if not.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer verify(KeyId key, VerifyRequest request, CallOptions... options) {
    return ask(0x0045, "verify", KeyId.needed("verify", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Returns if the signature is the key's; it is rejected if not.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> verifyAsync(KeyId key, VerifyRequest request, CallOptions... options) {
    return send(0x0045, "verify", KeyId.needed("verify", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * A message authentication code.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public MacReply mac(KeyId key, MacRequest request, CallOptions... options) {
    return ask(0x0046, "mac", KeyId.needed("mac", key), request, MacReply::new, false, CallOptions.one(options));
  }

  /**
   * A message authentication code.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<MacReply> macAsync(KeyId key, MacRequest request, CallOptions... options) {
    return send(0x0046, "mac", KeyId.needed("mac", key), request, MacReply::new, false, CallOptions.one(options));
  }

  /**
   * Returns if the code is right; it is rejected if not.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer verifyMac(KeyId key, VerifyMacRequest request, CallOptions... options) {
    return ask(0x0047, "verifyMac", KeyId.needed("verifyMac", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Returns if the code is right; it is rejected if not.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> verifyMacAsync(KeyId key, VerifyMacRequest request, CallOptions... options) {
    return send(0x0047, "verifyMac", KeyId.needed("verifyMac", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public UnwrapReply unwrap(KeyId key, UnwrapRequest request, CallOptions... options) {
    return ask(0x0048, "unwrap", KeyId.needed("unwrap", key), request, UnwrapReply::new, false, CallOptions.one(options));
  }

  /**
   * Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<UnwrapReply> unwrapAsync(KeyId key, UnwrapRequest request, CallOptions... options) {
    return send(0x0048, "unwrap", KeyId.needed("unwrap", key), request, UnwrapReply::new, false, CallOptions.one(options));
  }

  /**
   * Has the daemon wipe a secret before its time is over.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer releaseHandle(KeyId key, ReleaseHandleRequest request, CallOptions... options) {
    return ask(0x0049, "releaseHandle", KeyId.needed("releaseHandle", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Has the daemon wipe a secret before its time is over.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> releaseHandleAsync(KeyId key, ReleaseHandleRequest request, CallOptions... options) {
    return send(0x0049, "releaseHandle", KeyId.needed("releaseHandle", key), request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public TokeniseReply tokenise(KeyId key, TokeniseRequest request, CallOptions... options) {
    return ask(0x0050, "tokenise", KeyId.needed("tokenise", key), request, TokeniseReply::new, false, CallOptions.one(options));
  }

  /**
   * The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<TokeniseReply> tokeniseAsync(KeyId key, TokeniseRequest request, CallOptions... options) {
    return send(0x0050, "tokenise", KeyId.needed("tokenise", key), request, TokeniseReply::new, false, CallOptions.one(options));
  }

  /**
   * The PAN that a surrogate stands in for.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public DetokeniseReply detokenise(KeyId key, DetokeniseRequest request, CallOptions... options) {
    return ask(0x0051, "detokenise", KeyId.needed("detokenise", key), request, DetokeniseReply::new, false, CallOptions.one(options));
  }

  /**
   * The PAN that a surrogate stands in for.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<DetokeniseReply> detokeniseAsync(KeyId key, DetokeniseRequest request, CallOptions... options) {
    return send(0x0051, "detokenise", KeyId.needed("detokenise", key), request, DetokeniseReply::new, false, CallOptions.one(options));
  }

  /**
   * What is sealed in a payment envelope, as far as policy releases it.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public OpenPaymentTokenReply openEnvelope(KeyId key, OpenEnvelopeRequest request, CallOptions... options) {
    return ask(0x0052, "openEnvelope", KeyId.needed("openEnvelope", key), request, OpenPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * What is sealed in a payment envelope, as far as policy releases it.
   *
   * @param key the key's id
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<OpenPaymentTokenReply> openEnvelopeAsync(KeyId key, OpenEnvelopeRequest request, CallOptions... options) {
    return send(0x0052, "openEnvelope", KeyId.needed("openEnvelope", key), request, OpenPaymentTokenReply::new, false, CallOptions.one(options));
  }

  /**
   * How the daemon is.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public StatusReport status(CallOptions... options) {
    return ask(0x0100, "status", null, null, StatusReport::new, false, CallOptions.one(options));
  }

  /**
   * How the daemon is.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<StatusReport> statusAsync(CallOptions... options) {
    return send(0x0100, "status", null, null, StatusReport::new, false, CallOptions.one(options));
  }

  /**
   * Opens the key store with a passphrase.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer unlock(UnlockRequest request, CallOptions... options) {
    return ask(0x0101, "unlock", null, request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Opens the key store with a passphrase.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> unlockAsync(UnlockRequest request, CallOptions... options) {
    return send(0x0101, "unlock", null, request, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Ends serving, and wipes the keys.
   *
   * @param options at most one, for this call alone
   * @return the answer
   */
  public Answer lock(CallOptions... options) {
    return ask(0x0102, "lock", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Ends serving, and wipes the keys.
   *
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<Answer> lockAsync(CallOptions... options) {
    return send(0x0102, "lock", null, null, Answer::new, true, CallOptions.one(options));
  }

  /**
   * Takes a key into the key store, and describes it.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return the answer
   */
  public KeyDescription importKey(ImportKeyRequest request, CallOptions... options) {
    return ask(0x0103, "importKey", null, request, KeyDescription::new, false, CallOptions.one(options));
  }

  /**
   * Takes a key into the key store, and describes it.
   *
   * @param request what is asked for
   * @param options at most one, for this call alone
   * @return what will be the answer
   */
  public CompletableFuture<KeyDescription> importKeyAsync(ImportKeyRequest request, CallOptions... options) {
    return send(0x0103, "importKey", null, request, KeyDescription::new, false, CallOptions.one(options));
  }
}
