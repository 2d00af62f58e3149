/** The actions that set-up steps use, each at the commit of a release. */
export const ACTION_PINS = {
  'actions/cache': { commit: '27d5ce7f107fe9357f9df03efb73ab90386fccae', version: 'v5.0.5' },
  'actions/setup-dotnet': { commit: '26b0ec14cb23fa6904739307f278c14f94c95bf1', version: 'v5.4.0' },
  'actions/setup-go': { commit: '924ae3a1cded613372ab5595356fb5720e22ba16', version: 'v6.5.0' },
  'actions/setup-java': { commit: 'b6effb05e454b25005698d916606bdc6ffcbf961', version: 'v5.7.0' },
  'actions/setup-node': { commit: '249970729cb0ef3589644e2896645e5dc5ba9c38', version: 'v6.5.0' },
  'actions/setup-python': { commit: 'ece7cb06caefa5fff74198d8649806c4678c61a1', version: 'v6.3.0' },
  'ruby/setup-ruby': { commit: '0dafeac902942906541bc140009cdbf32665b601', version: 'v1.315.0' },
} as const;

export type PinnedAction = keyof typeof ACTION_PINS;
